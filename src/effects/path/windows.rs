//! Windows paths. They occur in virtual worlds; what Windows reads in more than one way is refused.

/// Splits a text into its root (`C:/`) and its names. Both separators count, the drive is in upper
/// case, and dots are resolved in the text, as Windows does before it looks at any file.
///
/// # Errors
/// Device and verbatim paths, shares, a drive without a root, streams, device names, short names,
/// names that end in a dot or a space, and characters that no name has.
pub fn split(text: &str, base: &str) -> Result<(String, Vec<String>), String> {
    let text = text.replace('\\', "/");
    if text.starts_with("//") {
        return Err("a share, a device or a verbatim path".to_owned());
    }
    let base = base.replace('\\', "/");
    let (root, names) = match drive(&text) {
        Some((root, rest)) => {
            let rest = rest.strip_prefix('/').ok_or("a path relative to a drive's own directory")?;
            (root, rest.to_owned())
        }
        None => {
            let (root, dir) = drive(&base).ok_or("the working directory has no drive")?;
            match text.strip_prefix('/') {
                Some(rest) => (root, rest.to_owned()),
                None => (root, format!("{}/{text}", dir.trim_matches('/'))),
            }
        }
    };
    let mut out: Vec<String> = Vec::new();
    for name in names.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(out.pop()),
            _ => {
                check(name)?;
                out.push(name.to_owned());
            }
        }
    }
    Ok((root, out))
}

/// The root of a path with a drive, and what follows the colon.
fn drive(text: &str) -> Option<(String, &str)> {
    let (letter, rest) = text.split_once(':')?;
    let mut chars = letter.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => {
            Some((format!("{}:/", letter.to_ascii_uppercase()), rest))
        }
        _ => None,
    }
}

fn check(name: &str) -> Result<(), String> {
    if name.contains(':') {
        return Err("an alternate stream".to_owned());
    }
    if name.ends_with(['.', ' ']) {
        return Err("a name that ends in a dot or a space".to_owned());
    }
    if name.contains(|c: char| c < ' ' || "<>\"|?*".contains(c)) {
        return Err("a character that no name has".to_owned());
    }
    let stem = name.split('.').next().unwrap_or("").trim_end_matches(' ').to_ascii_uppercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            let mut chars = rest.chars();
            matches!((chars.next(), chars.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
    };
    let device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$");
    if device || numbered("COM") || numbered("LPT") {
        return Err("the name of a device".to_owned());
    }
    let short = stem
        .rsplit_once('~')
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    if short && stem.chars().count() <= 8 {
        return Err("a short name".to_owned());
    }
    Ok(())
}
