//! Cases from public bug reports that are about a start or a run (`tests/cases/public/README.md`).

use super::Place;

/// A test for each case, and the list of the cases.
macro_rules! cases {
    ($($(#[doc = $doc:literal])* $id:literal: $name:ident $body:block)*) => {
        /// The ids of the cases that are tests here.
        pub const IDS: &[&str] = &[$($id),*];

        $($(#[doc = $doc])* #[test] fn $name() $body)*
    };
}

/// Runs one call under a policy, in a project with a README.
fn run(policy: &str, call: &str) -> serde_json::Value {
    let place = Place::new();
    place.file("README.md", "# Hello\n").file("../policy/p.toll", policy);
    let ended = place.run_with(&["run", "--config", "none", "--policy", "../policy/p.toll"], call.as_bytes());
    assert_eq!(ended.status, Some(0), "{ended}");
    serde_json::from_str(ended.stdout.trim()).unwrap()
}

fn end(envelope: &serde_json::Value) -> (&str, &str) {
    (envelope["status"].as_str().unwrap(), envelope["code"].as_str().unwrap_or(""))
}

cases! {
    /// Nobody is asked about a call that cannot be valid.
    "schema-number-for-path-no-prompt": arguments_are_checked_before_anybody_is_asked {
        let policy = "tollgate 1\n\nask reads { on read }\n";
        let envelope = run(policy, r#"{"tool": "read_file", "args": {"path": 42}}"#);
        assert_eq!(end(&envelope), ("rejected", "invalid-arguments"), "{envelope:#}");
        let asked = run(policy, r#"{"tool": "read_file", "args": {"path": "README.md"}}"#);
        assert_eq!(end(&asked), ("rejected", "approval"), "{asked:#}");
    }

    /// What a rule makes of the arguments is checked like what was asked.
    "modify-rewritten-arguments-fail-schema": rewritten_arguments_are_checked_again {
        let policy = "tollgate 1\n\n\
            allow writes {\n  on write\n  when path under workspace\n}\n\n\
            modify drops-content {\n  on write by write_file\n  when args.content is present\n  \
            remove args.content\n}\n";
        let call = r#"{"tool": "write_file", "args": {"path": "a.txt", "content": "x"}}"#;
        let envelope = run(policy, call);
        assert_eq!(end(&envelope), ("rejected", "invalid-arguments"), "{envelope:#}");
        let granted = run(&policy[..policy.find("modify").unwrap()], call);
        assert_eq!(end(&granted), ("ok", ""), "{granted:#}");
    }

    /// A condition on what only the result can tell is refused at the start, with the place and the mend.
    "config-rule-can-never-match": a_field_that_is_never_there_is_refused_at_the_start {
        for (field, mend) in [
            ("result.text contains \"eu\"", "on result of"),
            ("args.tool.region is \"eu\" and region is \"eu\"", "region"),
        ] {
            let place = Place::new();
            place.file("p.toll", format!(
                "tollgate 1\n\ntool query {{ read }}\n\nallow europe {{\n  on read\n  when {field}\n}}\n"
            ));
            let ended = place.run_with(
                &["decide", "--config", "none", "--policy", "p.toll"],
                b"{\"tool\": \"query\"}\n",
            );
            assert_eq!(ended.status, Some(2), "{ended}");
            assert_eq!(ended.stdout, "", "nothing is decided");
            assert!(ended.stderr.contains("p.toll:7:") && ended.stderr.contains(mend), "{ended}");
        }
    }

    /// A policy that cannot be read is no softer policy: nothing runs, and the file is named.
    "config-empty-rule-file": a_policy_that_cannot_be_read_stops_the_start {
        let call = b"{\"tool\": \"shell\", \"args\": {\"command\": \"touch made\"}}\n";
        for broken in [None, Some(""), Some("tollgate 1\n\nallow everything { on any\n"), Some("\u{0}\u{1}")] {
            let place = Place::new();
            place.file("tollgate.yaml", "layers:\n  - name: project\n    path: rules.toll\n");
            if let Some(text) = broken {
                place.file("rules.toll", text);
            }
            for verb in ["run", "decide"] {
                let ended = place.run_with(&[verb], call);
                assert_eq!(ended.status, Some(2), "{broken:?}: {ended}");
                assert_eq!(ended.stdout, "", "{broken:?}: nothing is decided");
                assert!(ended.stderr.contains("rules.toll"), "{broken:?}: {ended}");
            }
            assert!(!place.work().join("made").exists());
        }
    }

    /// What the owner revokes while a session goes on is revoked from the next call on: for a program that
    /// is started for each call, and for a gate that is handed the new policy.
    "config-deny-added-while-running": a_revoked_grant_ends_with_the_next_call {
        let grant = "tollgate 1\n\ndefault block\n\n\
            allow containers {\n  on exec\n  when command.program is \"docker\"\n  covers read, write, network\n}\n";
        let revoked = format!(
            "{grant}\nblock no-containers {{\n  on exec\n  when command.program is \"docker\"\n}}\n"
        );
        let args = serde_json::json!({"command": "docker ps"});
        let place = Place::new();
        let line = serde_json::json!({"tool": "shell", "args": args, "session": "s1"}).to_string();
        for (policy, verdict) in [(grant, "allow"), (&revoked, "block")] {
            place.file("p.toll", policy);
            let decide = ["decide", "--config", "none", "--policy", "p.toll"];
            let ended = place.run_with(&decide, line.as_bytes());
            assert!(ended.stdout.contains(&format!("\"verdict\":\"{verdict}\"")), "{ended}");
        }

        use crate::gate::support::{Setting, call, end, program};
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut setting = Setting::new();
            grant.clone_into(&mut setting.policy);
            let (gate, _place, _) = setting.gate();
            assert_eq!(end(&call(&gate, "shell", args.clone()).await), "ok");
            gate.replace_program(program(&revoked, gate.registry()));
            let envelope = call(&gate, "shell", args).await;
            assert_eq!(end(&envelope), "rejected/policy");
            assert!(envelope["summary"].as_str().unwrap().contains("no-containers"), "{envelope:#}");
        });
    }

    /// A file that is not read is named, because whoever wrote it feels protected.
    "config-inert-file-is-reported": a_configuration_without_effect_is_named {
        let place = Place::new();
        place
            .file("p.toll", "tollgate 1\n\nallow reads { on read }\n")
            .file("tollgate.yaml", "layers:\n  - name: project\n    path: strict.toll\n")
            .file("strict.toll", "tollgate 1\n\nblock everything { on any }\n");
        let call = b"{\"tool\": \"read_file\", \"args\": {\"path\": \"a.txt\"}}\n";
        let ended = place.run_with(&["decide", "--config", "none", "--policy", "p.toll"], call);
        assert_eq!(ended.status, Some(0), "{ended}");
        assert!(ended.stdout.contains("\"verdict\":\"allow\""), "{ended}");
        assert!(ended.stderr.contains("tollgate.yaml has no effect"), "{ended}");
        let read = place.run_with(&["decide"], call);
        assert!(read.stdout.contains("project/everything") && read.stderr.is_empty(), "{read}");
    }
}
