//! What a configuration may say, and what it is told where it says something else.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    AUDIT_KEYS, Config, ConfigError, Durability, HOOK_KEYS, KEYS, LAYER_KEYS, OUTPUT_KEYS, Owner, parse,
};
use crate::base::yaml;
use crate::gate::{HookStage, OnFailure};
use crate::model::schema::Schema;

const FULL: &str = "\
layers:
  - name: org
    path: policies/org.toll
  - name: my-team
    paths: [a.toll, more]
mode: build
workspace: ..
unattended: true
audit:
  durability: write
output: {limit: 20KB}
self-protection: false
hooks:
  - name: guard
    stage: pre
    command: [./guard, --strict]
  - name: count-calls
    stage: post
    command: [/usr/bin/env, sh, ./count]
    time-limit: 500ms
    on-failure: warn
    digest: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
";

fn read(text: &str, owner: Owner) -> Result<Config, ConfigError> {
    parse(text, Path::new("/etc/tollgate"), owner)
}

#[test]
fn reads_every_key() {
    let config = read(FULL, Owner::Outermost).expect("configuration");
    assert_eq!(config.layers[1].paths, ["/etc/tollgate/a.toll", "/etc/tollgate/more"].map(PathBuf::from));
    assert_eq!(config.mode.as_deref(), Some("build"));
    assert_eq!(config.workspace.as_deref(), Some(Path::new("/etc/tollgate/..")));
    assert_eq!((config.unattended, config.self_protection), (Some(true), Some(false)));
    let (guard, count) = (&config.hooks[0], &config.hooks[1]);
    assert_eq!((guard.spec.stage, guard.spec.on_failure), (HookStage::Pre, OnFailure::Block));
    assert_eq!((guard.spec.time_limit_ms, guard.digest), (10_000, None));
    assert_eq!(
        (guard.command.join(" "), guard.folder.as_path()),
        ("./guard --strict".to_owned(), Path::new("/etc/tollgate"))
    );
    assert_eq!((count.spec.stage, count.spec.on_failure), (HookStage::Post, OnFailure::Warn));
    assert_eq!(count.spec.time_limit_ms, 500);
    assert!(count.digest.unwrap().to_string().starts_with("sha256:0123456789abcdef0123"));
    assert_eq!((config.durability, config.output_bytes), (Some(Durability::Write), Some(20_480)));
}

#[test]
fn says_what_is_wrong_and_where() {
    let mut out = String::new();
    for (owner, text) in [
        (Owner::Outermost, "layer:\n  - name: x\n"),
        (Owner::Outermost, "mode: build\ncolour: red\n"),
        (Owner::Outermost, "servers: []\n"),
        (Owner::Outermost, "hooks: ./guard\n"),
        (Owner::Outermost, "hooks:\n  - name: Guard\n    stage: pre\n    command: [./g]\n"),
        (Owner::Outermost, "hooks:\n  - name: guard\n    command: [./g]\n"),
        (Owner::Outermost, "hooks:\n  - name: guard\n    stage: before\n    command: [./g]\n"),
        (Owner::Outermost, "hooks:\n  - name: guard\n    stage: pre\n    command: guard\n"),
        (Owner::Outermost, "hooks:\n  - name: guard\n    stage: pre\n    command: [guard]\n"),
        (Owner::Outermost, "hooks:\n  - name: guard\n    stage: pre\n    command: []\n"),
        (
            Owner::Outermost,
            "hooks:\n  - name: guard\n    stage: pre\n    command: [./g]\n    on-failure: allow\n",
        ),
        (
            Owner::Outermost,
            "hooks:\n  - name: guard\n    stage: pre\n    command: [./g]\n    time-limit: 10\n",
        ),
        (
            Owner::Outermost,
            "hooks:\n  - name: guard\n    stage: pre\n    command: [./g]\n    time-limit: 2h\n",
        ),
        (
            Owner::Outermost,
            "hooks:\n  - name: guard\n    stage: pre\n    command: [./g]\n    digest: sha256:12\n",
        ),
        (Owner::Outermost, "hooks:\n  - name: guard\n    stage: pre\n    command: [./g]\n    timeout: 1s\n"),
        (
            Owner::Outermost,
            "hooks:\n  - {name: g, stage: pre, command: [./g]}\n  - {name: g, stage: post, command: [./g]}\n",
        ),
        (Owner::Project, "hooks:\n  - {name: g, stage: pre, command: [./g]}\n"),
        (Owner::Outermost, "audit:\n  durable: sync\n"),
        (Owner::Outermost, "audit:\n  durability: always\n"),
        (Owner::Outermost, "output:\n  limit: 20 KB\n"),
        (Owner::Outermost, "output:\n  limit: 0\n"),
        (Owner::Outermost, "output:\n  limit: 99999999999999999999KB\n"),
        (Owner::Outermost, "unattended: yes\n"),
        (Owner::Outermost, "mode: a\nmode: b\n"),
        (Owner::Outermost, "- a\n"),
        (Owner::Outermost, "# nothing\n"),
        (Owner::Outermost, "layers:\n  - name: Org\n    path: x\n"),
        (Owner::Outermost, "layers:\n  - name: a\n    path: x\n  - name: a\n    path: y\n"),
        (Owner::Outermost, "layers:\n  - name: a\n"),
        (Owner::Outermost, "layers:\n  - name: a\n    path: x\n    paths: [y]\n"),
        (Owner::Outermost, "layers:\n  - path: x\n"),
        (Owner::Outermost, "layers: policies\n"),
        (Owner::Inner, "self-protection: false\n"),
        (Owner::Project, "layers: []\nmode: build\n"),
    ] {
        let error = read(text, owner).expect_err(text);
        let column = |column: Option<u32>| column.map(|column| format!(":{column}")).unwrap_or_default();
        let place = error.place.map(|(line, at)| format!("{line}{}: ", column(at))).unwrap_or_default();
        out += &format!("{text}→ {place}{}\n", error.message);
        if let Some(help) = error.help {
            out += &format!("  help: {help}\n");
        }
        out += "\n";
    }
    insta::assert_snapshot!(out);
}

fn schema_document() -> Value {
    let text = include_str!("../../../docs/tollgate.schema.json");
    serde_json::from_str(text).expect("the schema is JSON")
}

fn properties(schema: &Value, pointer: &str) -> Vec<String> {
    let found = schema.pointer(pointer).and_then(Value::as_object).expect(pointer);
    let mut keys: Vec<String> = found.keys().cloned().collect();
    keys.sort();
    keys
}

#[test]
fn the_schema_has_the_same_keys() {
    let schema = schema_document();
    assert_eq!(properties(&schema, "/properties"), KEYS);
    assert_eq!(properties(&schema, "/properties/layers/items/properties"), LAYER_KEYS);
    assert_eq!(properties(&schema, "/properties/audit/properties"), AUDIT_KEYS);
    assert_eq!(properties(&schema, "/properties/output/properties"), OUTPUT_KEYS);
    assert_eq!(properties(&schema, "/properties/hooks/items/properties"), HOOK_KEYS);
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema = Schema::compile(schema_document()).expect("schema");
    for text in [
        FULL,
        "{}",
        "layers: []",
        "layers: [{name: a, path: x}]",
        "layers: [{name: a, paths: []}]",
        "layers: [{name: a, path: ''}]",
        "layers: [{name: a-, path: x}]",
        "layers: [{name: a}]",
        "layers: [{path: x}]",
        "layers: [{name: a, path: x, paths: [y]}]",
        "output: {limit: 1}",
        "output: {limit: 0}",
        "output: {limit: -1}",
        "output: {limit: 0KB}",
        "output: {limit: 2MB}",
        "output: {limit: 2GB}",
        "output: {}",
        "audit: {durability: sync}",
        "audit: {durability: none}",
        "unattended: 'true'",
        "self-protection: false",
        "colour: red",
        "hooks: []",
        "hooks: [{name: a, stage: pre, command: [./a]}]",
        "hooks: [{name: a, stage: pre}]",
        "hooks: [{name: a, stage: pre, command: []}]",
        "hooks: [{name: a, stage: pre, command: [a]}]",
        "hooks: [{name: a, stage: pre, command: [./a, '']}]",
        "hooks: [{name: a, stage: mid, command: [./a]}]",
        "hooks: [{name: A, stage: pre, command: [./a]}]",
        "hooks: [{stage: pre, command: [./a]}]",
        "hooks: [{name: a, stage: pre, command: [./a], time-limit: 5}]",
        "hooks: [{name: a, stage: pre, command: [./a], time-limit: 0s}]",
        "hooks: [{name: a, stage: pre, command: [./a], time-limit: 1m}]",
        "hooks: [{name: a, stage: pre, command: [./a], on-failure: warn}]",
        "hooks: [{name: a, stage: pre, command: [./a], on-failure: go}]",
        "hooks: [{name: a, stage: pre, command: [./a], digest: 'sha256:00'}]",
        "hooks: [{name: a, stage: pre, command: [./a], colour: red}]",
    ] {
        let value: Value = yaml::parse(text).expect(text);
        assert_eq!(schema.check(&value).is_ok(), read(text, Owner::Outermost).is_ok(), "{text}");
    }
}
