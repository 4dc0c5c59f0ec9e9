//! Shim.
use super::world::*;
/// Shim.
#[derive(Debug)]
pub struct VirtualWorld {}
impl VirtualWorld {
    /// Shim.
    ///
    /// # Errors
    /// Text.
    pub fn from_yaml(_text: &str) -> Result<Self, String> {
        Ok(Self {})
    }
    /// Shim.
    ///
    /// # Errors
    /// Text.
    pub fn from_json(_value: &serde_json::Value) -> Result<Self, String> {
        Ok(Self {})
    }
}
impl World for VirtualWorld {
    fn workspace(&self) -> &str {
        "/"
    }
    fn home(&self) -> Option<&str> {
        None
    }
    fn home_of(&self, _: &str) -> Option<String> {
        None
    }
    fn temp(&self) -> Option<&str> {
        None
    }
    fn cwd(&self) -> Option<&str> {
        None
    }
    fn platform(&self) -> Platform {
        Platform::Posix
    }
    fn folding(&self, _: &str) -> crate::model::path::Folding {
        crate::model::path::Folding::default()
    }
    fn inspect(&self, _: &str) -> Result<Node, WorldError> {
        Err(WorldError::Missing)
    }
    fn list(&self, _: &str, _: usize) -> Result<Vec<String>, WorldError> {
        Err(WorldError::Missing)
    }
    fn addresses(&self, _: &str) -> Result<Vec<std::net::IpAddr>, WorldError> {
        Err(WorldError::Missing)
    }
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn today(&self) -> Option<crate::syntax::ast::Date> {
        None
    }
    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
    fn protected(&self) -> Vec<String> {
        Vec::new()
    }
}
