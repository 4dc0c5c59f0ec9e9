//! Shim.
/// Shim.
///
/// # Errors
/// Diagnostics.
pub fn format(text: &str) -> Result<String, Vec<crate::base::Diagnostic>> {
    Ok(text.to_owned())
}
