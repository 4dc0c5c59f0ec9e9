//! The test files in the pages: each is run by the real program. One without a `report` behind it holds;
//! one with a `report` prints it.

use std::fs;

use super::{Place, test};
use crate::spec::blocks;

#[test]
fn the_test_files_in_the_pages_do_what_they_say() {
    let update = std::env::var_os("TOLLGATE_UPDATE_DOCS").is_some();
    let mut ran = 0;
    for entry in fs::read_dir(super::memory::root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let mut page = fs::read_to_string(&path).unwrap();
        let found = blocks(&page);
        for (at, block) in found.iter().enumerate().filter(|(_, block)| block.kind == "test") {
            ran += 1;
            let name = format!("{}:{}", path.display(), block.line);
            let place = Place::new();
            place.file("a.test.yaml", &block.text);
            test(&place, &["--accept"]);
            let ended = test(&place, &["a.test.yaml"]);
            match found.get(at + 1).filter(|next| next.kind == "report") {
                None => assert_eq!(ended.status, Some(0), "{name}\n{ended}"),
                Some(report) if update => {
                    let fenced = |text: &str| format!("```report\n{text}```\n");
                    page = page.replace(&fenced(&report.text), &fenced(&ended.stdout));
                }
                Some(report) => {
                    assert_eq!(ended.status, Some(1), "{name}\n{ended}");
                    assert_eq!(ended.stdout, report.text, "{name}");
                }
            }
        }
        if update {
            fs::write(&path, page).unwrap();
        }
    }
    assert!(ran >= 5, "{ran} test files were found");
}
