//! Where configuration, layers, imports and workspace come from.

use super::{POLICY, Place};

const DOCS_ONLY: &str =
    "tollgate 1\n\ndefault pass\n\nblock no-docs {\n  on read\n  when path under \"./docs\"\n}\n";
const CALL: &[u8] = b"{\"tool\": \"read_file\", \"args\": {\"path\": \"docs/a.md\"}}\n";

#[test]
fn without_a_policy_nothing_is_decided() {
    let place = Place::new();
    insta::assert_snapshot!(place.run_with(&["decide"], CALL));
}

#[test]
fn layers_of_all_configurations_stand_outermost_first() {
    let place = Place::new();
    place
        .file("../etc/tollgate.yaml", "layers:\n  - name: org\n    path: org.toll\n")
        .file("../etc/org.toll", POLICY)
        .file("tollgate.yaml", "layers:\n  - name: project\n    path: policies\n")
        .file("policies/docs.toll", DOCS_ONLY)
        .file("docs/a.md", "");
    let both = place.run_with(&["decide", "--config", "../etc/tollgate.yaml"], CALL);
    assert!(both.stdout.contains("\"rules\":[\"project/no-docs\"]"), "{both}");
    let none = place.run_with(&["decide", "--config", "none", "--policy", "../etc/org.toll"], CALL);
    assert!(none.stdout.contains("\"rules\":[\"policy/reads\"]"), "{none}");
    let inner = place.run_with(
        &["decide", "--config", "none", "--layer", "org=../etc/org.toll", "--layer", "team=policies"],
        CALL,
    );
    assert!(inner.stdout.contains("\"rules\":[\"team/no-docs\"]"), "{inner}");
}

#[test]
fn the_users_configuration_is_found() {
    let place = Place::new();
    place
        .file("../home/.config/tollgate/tollgate.yaml", "layers:\n  - name: mine\n    path: mine.toll\n")
        .file("../home/.config/tollgate/mine.toll", POLICY)
        .file("docs/a.md", "");
    let ended = place.run_with(&["decide"], CALL);
    assert!(ended.stdout.contains("\"rules\":[\"mine/reads\"]"), "{ended}");
}

#[test]
fn a_project_only_tightens() {
    let place = Place::new();
    place.file("tollgate.yaml", "layers: []\nself-protection: false\n");
    insta::assert_snapshot!(place.run_with(&["decide"], CALL));
}

#[test]
fn one_name_is_one_layer() {
    let place = Place::new();
    place.file("a.toll", POLICY);
    insta::assert_snapshot!(
        place.run_with(&["decide", "--policy", "a.toll", "--layer", "policy=a.toll"], CALL)
    );
}

#[test]
fn the_workspace_is_the_nearest_repository() {
    let place = Place::new();
    place
        .file("tollgate.yaml", "layers:\n  - name: project\n    path: p.toll\n")
        .file("p.toll", POLICY)
        .file("docs/a.md", "");
    let ended = place.run_in(&place.work().join("docs"), &["decide"], CALL);
    assert!(ended.stdout.contains("\"verdict\":\"allow\""), "{ended}");
    let moved = place.run_with(&["decide", "--policy", "p.toll", "--workspace", "nowhere"], CALL);
    insta::assert_snapshot!(moved);
}

#[test]
fn imports_stay_in_the_folder_of_their_layer() {
    let place = Place::new();
    place
        .file(
            "policies/main.toll",
            format!("{POLICY}\nblock no-docs {{\n  on read\n  when path in docs\n}}\n")
                .replace("tollgate 1\n", "tollgate 1\n\nimport \"./sets.toll\"\n"),
        )
        .file("policies/sets.toll", "tollgate 1\n\nlet docs = path {\"./docs/**\"}\n")
        .file("docs/a.md", "");
    for policy in ["policies/main.toll", "./policies/../policies/main.toll"] {
        let ended = place.run_with(&["decide", "--policy", policy], CALL);
        assert!(ended.stdout.contains("\"rules\":[\"policy/no-docs\"]"), "{policy}: {ended}");
    }
    let absolute = place.work().join("policies/main.toll");
    let ended = place.run_with(&["decide", "--policy", absolute.to_str().unwrap()], CALL);
    assert!(ended.stdout.contains("\"rules\":[\"policy/no-docs\"]"), "{ended}");
    let folder = place.run_with(&["decide", "--policy", "policies"], CALL);
    assert!(folder.stdout.contains("\"rules\":[\"policy/no-docs\"]"), "{folder}");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_refused() {
    let place = Place::new();
    place
        .file("policies/main.toll", "tollgate 1\n\nimport \"./sets.toll\"\n")
        .file("../outside.toll", "tollgate 1\n\nlet docs = path {\"./docs/**\"}\n");
    std::os::unix::fs::symlink("../../outside.toll", place.work().join("policies/sets.toll")).unwrap();
    insta::assert_snapshot!(
        "link_import",
        place.run_with(&["decide", "--policy", "policies/main.toll"], CALL)
    );
    insta::assert_snapshot!("link_in_folder", place.run_with(&["decide", "--policy", "policies"], CALL));
}

#[test]
fn a_layer_that_cannot_be_read_is_named_with_its_configuration() {
    let place = Place::new();
    place.file("tollgate.yaml", "layers:\n  - name: org\n    path: nowhere.toll\n");
    let ended = place.run_with(&["decide"], CALL);
    assert!(ended.stderr.contains("it is in the layer `org` of tollgate.yaml"), "{ended}");
}
