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

    /// What is written is what was asked, whatever it looks like; only what comes back is rewritten.
    "redact-never-rewrites-written-content": content_is_written_as_it_is {
        let policy = "tollgate 1\n\n\
            allow work {\n  on read, write\n  when path under workspace\n}\n\n\
            redact credentials {\n  on result of any\n  replace secrets with \"[REDACTED]\"\n}\n";
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let place = Place::new();
        place.file("p.toll", policy);
        for content in [
            "hdr = f\"Authorization: Bearer {token_value}\"\n".to_owned(),
            format!("TOKEN={token}\n"),
        ] {
            let args = serde_json::json!({"path": "client.py", "content": content});
            let lines = format!(
                "{}\n{}\n",
                serde_json::json!({"tool": "write_file", "args": args}),
                serde_json::json!({"tool": "read_file", "args": {"path": "client.py"}}),
            );
            let ended = place.run_with(&["run", "--config", "none", "--policy", "p.toll"], lines.as_bytes());
            assert_eq!(ended.status, Some(0), "{ended}");
            assert_eq!(std::fs::read_to_string(place.work().join("client.py")).unwrap(), content);
            assert!(!ended.stdout.contains(&token), "{ended}");
            assert_eq!(ended.stdout.contains("{token_value}"), content.contains("token_value"), "{ended}");
        }
    }

    /// A key of which the end lies behind the limit goes whole.
    "redact-before-truncation": a_key_on_the_cut_goes_whole {
        let policy = "tollgate 1\n\nallow shows {\n  on exec\n  when command.program is \"cat\"\n}\n\n\
            allow reads {\n  on read\n  when path under workspace\n}\n";
        let place = Place::new();
        let body = "lQOYFAKEFAKEFAKEFAKEFAKEFAKE+/lQOYFAKEFAKEFAKE\n".repeat(60);
        let marker = ["-----BEGIN PGP ", "PRIVATE KEY BLOCK-----"].concat();
        place.file("p.toll", policy).file(
            "big.log",
            format!("{}\n{marker}\n{body}\n", "filler \n".repeat(65_500 / 8)),
        );
        for call in [
            r#"{"tool": "shell", "args": {"command": "cat big.log"}}"#,
            r#"{"tool": "read_file", "args": {"path": "big.log"}}"#,
        ] {
            let ended = place.run_with(&["run", "--config", "none", "--policy", "p.toll"], call.as_bytes());
            assert!(ended.stdout.contains("\"status\":\"ok\""), "{ended}");
            assert!(!ended.stdout.contains("lQOYFAKE"), "{ended}");
        }
    }

    /// Commands start with the few variables that are passed on, none of which holds a credential.
    "secret-variables-not-passed-to-commands": commands_do_not_inherit_credentials {
        let place = Place::new();
        let policy = "tollgate 1\n\nallow shows {\n  on exec\n  when command.program in {\"printenv\", \"sort\"}\n}\n";
        place.file("p.toll", policy);
        let key = "EXAMPLEkey1234567890";
        let mut command = place.command(&place.work(), &["run", "--config", "none", "--policy", "p.toll"]);
        let mut child = command.env("EXAMPLE_API_KEY", key).spawn().unwrap();
        let call = serde_json::json!({"tool": "shell", "args": {"command": "printenv | sort"}}).to_string();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), call.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        let stdout = String::from_utf8(ended.stdout).unwrap();
        assert!(stdout.contains("\"status\":\"ok\"") && stdout.contains("PATH="), "{stdout}");
        assert!(!stdout.contains(key) && !stdout.contains("EXAMPLE_API_KEY"), "{stdout}");
    }

    /// The limit is the gate's: it does not matter which tool answers.
    "output-external-tool-uncapped": every_tool_is_cut_at_the_limit {
        let envelope = given("mcp:logs/dump", || serde_json::json!({"text": "log line\n".repeat(333_333)}));
        let text = envelope["data"]["text"].as_str().unwrap();
        assert!(text.len() <= LIMIT && text.len() > LIMIT - 100, "{}", text.len());
        assert!(text.contains("bytes left out") && envelope["data"]["truncated"] == true);
    }

    /// The cut lies between characters.
    "output-cut-inside-character": a_cut_lies_between_characters {
        let envelope = given("mcp:docs/read", || serde_json::json!({"text": "漢".repeat(9_000)}));
        let text = envelope["data"]["text"].as_str().unwrap();
        assert!(text.len() <= LIMIT && text.starts_with('漢') && text.ends_with('漢'), "{}", text.len());
        assert!(!text.contains('\u{fffd}'));
    }

    /// A structure stays one, with its first parts, and says that it was cut.
    "output-structured-result-cut": a_structure_stays_one {
        let envelope = given("mcp:memory/export", || {
            let rows: Vec<_> = (0..5_000).map(|n| serde_json::json!({"id": n, "note": "kept for later"})).collect();
            serde_json::json!({"rows": rows})
        });
        assert!(envelope["data"].to_string().len() <= LIMIT + 100);
        assert_eq!(envelope["data"]["truncated"], true);
        let rows = envelope["data"]["rows"].as_array().unwrap();
        assert!(rows.len() > 500 && rows[0] == serde_json::json!({"id": 0, "note": "kept for later"}));
    }

    /// What fits passes as it is.
    "output-small-result-untouched": a_small_result_passes_as_it_is {
        let envelope = given("mcp:docs/read", || serde_json::json!({"text": "ok\n"}));
        assert_eq!(envelope["data"], serde_json::json!({"text": "ok\n"}));
    }
}

/// Bytes of a result in the cases about its size.
const LIMIT: usize = 25_600;

/// What a caller gets of a tool that answers with this.
fn given(tool: &str, data: fn() -> serde_json::Value) -> serde_json::Value {
    use crate::gate::support::{Body, Probe, Setting, call};
    use tollgate::gate::{Cancellation, EffectClass};
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let probe = Probe::new(tool, Body::Give(data), EffectClass::ReadOnly, Cancellation::Immediate);
        let mut setting = Setting::new().tool(probe);
        setting.output_bytes = LIMIT as u64;
        let (gate, _place, _) = setting.gate();
        call(&gate, tool, serde_json::json!({})).await
    })
}
