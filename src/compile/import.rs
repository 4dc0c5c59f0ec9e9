//! Shim.
/// A layer.
#[derive(Debug, Clone)]
pub struct LayerInput {
    /// Name.
    pub name: String,
    /// Display path and text.
    pub files: Vec<(String, String)>,
}
/// Reads imports.
pub trait Files {
    /// Reads one.
    ///
    /// # Errors
    /// What went wrong.
    fn read(&self, layer: usize, path: &str) -> Result<String, String>;
}
