//! Rank 4: files → [`Program`]: imports, names, types, normal form, index.

pub mod expr;
pub mod import;
pub mod program;

pub use program::Program;

/// Shim.
#[derive(Debug)]
pub struct Compiled {
    /// p
    pub program: Option<Program>,
    /// s
    pub sources: crate::base::Sources,
    /// d
    pub diagnostics: Vec<crate::base::Diagnostic>,
}
/// Shim.
#[must_use]
pub fn compile(
    layers: &[import::LayerInput],
    _files: &dyn import::Files,
    _tools: Vec<crate::model::ToolDeclaration>,
) -> Compiled {
    let mut sources = crate::base::Sources::default();
    let mut diagnostics = Vec::new();
    for layer in layers {
        for (name, text) in &layer.files {
            let id = sources.add(crate::base::Source::new(name, text));
            diagnostics.extend(crate::syntax::parse(id, text).1);
        }
    }
    Compiled { program: None, sources, diagnostics }
}
