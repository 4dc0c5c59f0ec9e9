//! Every file is read and every example in it holds.

use super::catalogue;
use crate::effects::shell::tests::listing;

#[test]
fn files_are_right() {
    assert!(catalogue().errors.is_empty(), "{:#?}", catalogue().errors);
    assert!(catalogue().names().count() > 150);
}

#[test]
fn examples_hold() {
    let mut wrong = Vec::new();
    for (file, example) in &catalogue().examples {
        let found = listing(&example.line);
        if found != example.effects {
            wrong.push(format!(
                "{file}: {}\n  expected {:?}\n  found    {found:?}",
                example.line, example.effects
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
