//! From generated text to a compiled program and to the oracle's own reading of it.

use tollgate::base::FileId;
use tollgate::base::diagnostic::Level;
use tollgate::compile::{LayerInput, NoFiles, Program, compile};

use super::LayerText;
use crate::oracle::Policy;

/// The compiled program, or its errors, one a line.
pub fn program(layers: &[LayerText]) -> Result<Program, String> {
    files(layers.iter().map(|layer| (layer.name.clone(), layer.text())).collect())
}

/// The same of named texts, one a layer.
pub fn files(layers: Vec<(String, String)>) -> Result<Program, String> {
    let inputs: Vec<LayerInput> = layers
        .into_iter()
        .map(|(name, text)| LayerInput { files: vec![(format!("{name}.toll"), text)], name })
        .collect();
    let compiled = compile(&inputs, &NoFiles, Vec::new());
    let errors: Vec<String> = compiled
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.level == Level::Error)
        .map(|diagnostic| {
            let source = compiled.sources.get(diagnostic.file);
            let text = source.map_or("", |source| diagnostic.span.slice(&source.text));
            format!("{}: {} [{text}]", diagnostic.code, diagnostic.message)
        })
        .collect();
    compiled.program.ok_or_else(|| errors.join("\n"))
}

/// The oracle's reading.
pub fn policy(layers: &[LayerText]) -> Policy {
    let read = |layer: &LayerText| {
        let (file, _) = tollgate::syntax::parse(FileId(0), &layer.text());
        (layer.name.clone(), file)
    };
    Policy::new(layers.iter().map(read).collect())
}

/// The effects of a call, for people.
pub fn effects(
    layers: &[LayerText],
    call: &tollgate::model::Call,
    world: &dyn tollgate::effects::World,
) -> String {
    match crate::oracle::effects(&policy(layers), call, world) {
        Ok(effects) => effects.iter().map(|effect| format!("{effect:?}\n")).collect(),
        Err(pseudo) => pseudo.to_owned(),
    }
}
