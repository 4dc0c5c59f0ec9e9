//! Embedding the engine: a policy from a string, one call, its verdict. No file, no network, no tokio.

use tollgate::compile::{LayerInput, NoFiles, compile};
use tollgate::decide::{decide, json::verdict_to_json};
use tollgate::effects::VirtualWorld;
use tollgate::model::value::parse_call;

const POLICY: &str = r#"
tollgate 1

tool read_file { reads args.path }

block secrets-stay-secret {
  on read
  when path in {"**/.env"}
  because "{path} holds credentials"
}

allow workspace-reads { on read  when path under workspace }
"#;

fn main() -> Result<(), String> {
    let layer =
        LayerInput { name: "policy".to_owned(), files: vec![("policy.toll".to_owned(), POLICY.to_owned())] };
    let compiled = compile(&[layer], &NoFiles, Vec::new());
    let program = compiled.program.ok_or("the policy has errors")?;
    let world = VirtualWorld::plain();
    for line in [
        r#"{"id": "c1", "tool": "read_file", "args": {"path": "README.md"}}"#,
        r#"{"id": "c2", "tool": "read_file", "args": {"path": "docs/../.env"}}"#,
        r#"{"id": "c3", "tool": "read_file", "args": {"path": "/etc/passwd"}}"#,
        r#"{"id": "c4", "tool": "unheard_of", "args": {}}"#,
    ] {
        let call = parse_call(line).map_err(|error| error.to_string())?;
        println!("{}", verdict_to_json(decide(&program, call, &world).verdict()));
    }
    Ok(())
}
