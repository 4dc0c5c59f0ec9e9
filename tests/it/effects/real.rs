//! The real file system: what the kernel does is right.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use tollgate::effects::path;
use tollgate::effects::world::{Node, World as _, WorldError};
use tollgate::host::{RealWorld, Setup};
use tollgate::model::demand::Demand;
use tollgate::model::path::{PathKind, VariantRole};

fn world(root: &Path) -> RealWorld {
    RealWorld::new(Setup {
        workspace: root.to_str().expect("utf-8").to_owned(),
        environment: [("HOME".to_owned(), "/home/nobody-at-all".to_owned())].into(),
        ..Setup::default()
    })
}

/// The canonical root of a fresh directory.
fn fresh() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().expect("temporary directory");
    let root = fs::canonicalize(dir.path()).expect("canonical");
    (dir, root)
}

#[test]
fn nodes() {
    let (_keep, root) = fresh();
    let world = world(&root);
    let at = |name: &str| root.join(name).to_str().expect("utf-8").to_owned();
    fs::write(at("a"), "x").expect("write");
    fs::hard_link(at("a"), at("b")).expect("hard link");
    fs::create_dir(at("d")).expect("directory");
    symlink("d", at("l")).expect("link");
    assert_eq!(world.inspect(&at("a")), Ok(Node::File { hard_links: 2 }));
    assert_eq!(world.inspect(&at("d")), Ok(Node::Dir));
    assert_eq!(world.inspect(&at("l")), Ok(Node::Link("d".to_owned())));
    assert_eq!(world.inspect(&at("none")), Ok(Node::Missing));
    assert_eq!(world.inspect("/dev/null"), Ok(Node::Other));
    assert_eq!(world.list(root.to_str().expect("utf-8"), 4).expect("list"), ["a", "b", "d", "l"]);
    assert_eq!(world.list(root.to_str().expect("utf-8"), 3), Err(WorldError::TooMany(3)));
    assert_eq!(world.home(), Some("/home/nobody-at-all"));
    assert_eq!(world.home_of("root").as_deref(), Some("/root"));
    assert!(world.today().is_some_and(|day| day.year >= 2026));
    assert_eq!(world.addresses("127.0.0.1").expect("literal").len(), 1);
    assert!(!world.folding(root.to_str().expect("utf-8")).case);
    let fact = path::resolve(&world, "l/../a", world.workspace());
    assert_eq!(fact.canonical(), Some(at("a").as_str()));
    assert_eq!(fact.variants[0].kind, PathKind::Shared);
}

#[test]
fn new_files_under_links() {
    let (_keep, root) = fresh();
    let (_keep_too, outside) = fresh();
    let world = world(&root);
    symlink(&outside, root.join("out")).expect("link");
    symlink(outside.join("missing"), root.join("dangling")).expect("link");
    symlink("loop", root.join("loop")).expect("link");
    for (given, expected) in [("out/new.txt", "new.txt"), ("out/x/y", "x/y"), ("dangling", "missing")] {
        let fact = path::resolve(&world, given, world.workspace());
        let expected = outside.join(expected);
        assert_eq!(fact.canonical(), expected.to_str(), "{given}");
        assert_eq!(fact.variants[0].path, root.join(given).to_str().expect("utf-8"));
        assert_eq!(fact.variants[0].kind, PathKind::Missing);
    }
    assert!(path::resolve(&world, "loop", world.workspace()).unresolved.is_some());
    assert!(path::resolve(&world, "/proc/self/environ", "/").unresolved.is_some());
    fs::write(outside.join("secret"), "x").expect("write");
    let demand = Demand { paths: true, ..Demand::default() };
    let tree = path::tree(&world, path::resolve(&world, ".", world.workspace()), true, &demand);
    let secret = outside.join("secret");
    assert!(
        tree.variants
            .iter()
            .any(|v| v.role == VariantRole::Itself && Some(v.path.as_str()) == secret.to_str())
    );
}

/// One thing to make in a fresh directory.
#[derive(Debug, Clone)]
enum Make {
    Dir(String),
    File(String),
    Link(String, String),
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(str::to_owned)
}

fn relative(max: usize) -> impl Strategy<Value = String> {
    let step = prop_oneof![4 => name(), 1 => Just("..".to_owned()), 1 => Just(".".to_owned())];
    proptest::collection::vec(step, 1..max).prop_map(|names| names.join("/"))
}

fn make() -> impl Strategy<Value = Make> {
    let place = proptest::collection::vec(name(), 1..4).prop_map(|names| names.join("/"));
    (place, relative(4), 0..4_u8).prop_map(|(place, target, kind)| match kind {
        0 => Make::Dir(place),
        1 => Make::File(place),
        _ => Make::Link(place, target),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn agrees_with_the_kernel(things in proptest::collection::vec(make(), 1..14), asked in proptest::collection::vec(relative(7), 1..12)) {
        let (_keep, top) = fresh();
        // A level of its own, so that `..` stays among what the test made.
        let root = top.join("x/y/z");
        fs::create_dir_all(&root).expect("root");
        for thing in things {
            let _ = match thing {
                Make::Dir(place) => fs::create_dir_all(root.join(place)),
                Make::File(place) => fs::write(root.join(place), ""),
                Make::Link(place, target) => symlink(target, root.join(place)),
            };
        }
        let world = world(&root);
        for given in asked {
            let fact = path::resolve(&world, &given, world.workspace());
            match fs::canonicalize(root.join(&given)) {
                Ok(real) => {
                    prop_assert_eq!(fact.canonical(), real.to_str(), "{}", given);
                    // Every spelling is another way to the same place.
                    for variant in &fact.variants {
                        prop_assert_eq!(fs::canonicalize(&variant.path).ok(), Some(real.clone()), "{} {}", given, variant.path);
                    }
                }
                // What the kernel does not find may be made: then it lies where the fact says.
                Err(_) => if let Some(canonical) = fact.canonical() {
// A dot or a separator behind a file is an error to the kernel; many tools drop it.
                    if fact.variants.iter().any(|v| v.kind != PathKind::Missing) {
                        let real = fs::canonicalize(canonical).expect("file");
                        prop_assert_eq!(real.to_str(), Some(canonical), "{}", given);
                        prop_assert!(Path::new(canonical).is_file(), "{}", given);
                        continue;
                    }
                    let parent = Path::new(canonical).parent().expect("parent");
                    if fs::metadata(parent).is_ok() {
                        prop_assert_eq!(fs::canonicalize(parent).expect("parent"), parent, "{}", given);
                        let made = fs::OpenOptions::new().write(true).create(true).truncate(false).open(root.join(&given));
                        if made.is_ok() {
                            let real = fs::canonicalize(root.join(&given)).expect("made");
                            prop_assert_eq!(Some(canonical), real.to_str(), "{}", given);
                            fs::remove_file(&real).expect("remove");
                        }
                    }
                },
            }
        }
    }
}
