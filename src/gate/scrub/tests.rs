//! Samples are made up from repeated letters: none was ever a credential.

use serde_json::{Value, json};

use super::detectors::DETECTORS;
use super::{Places, Rewriting, Scrubber, regex_of};
use crate::gate::tool::Head;

fn scrubber() -> &'static Scrubber {
    Scrubber::shared().unwrap()
}

fn scrub(text: &str) -> String {
    scrubber().text(text, &Rewriting::default()).into_inner()
}

/// `n` characters, letters and digits in turn.
fn mixed(n: usize) -> String {
    "a1B2c3D4e5F6g7H8".chars().cycle().take(n).collect()
}

fn hex(n: usize) -> String {
    "0a1b2c3d4e5f6978".chars().cycle().take(n).collect()
}

fn upper(n: usize) -> String {
    "A2B3C4D5E6F7".chars().cycle().take(n).collect()
}

/// Text around, the credential, text behind; the format's id.
fn samples() -> Vec<(&'static str, String, String, &'static str)> {
    let s = |id, before: &str, secret: String, after| (id, before.to_owned(), secret, after);
    vec![
        s(
            "private-key",
            "",
            format!(
                "-----BEGIN RSA {}-----\n{}\n-----END RSA {}-----",
                "PRIVATE KEY",
                mixed(64),
                "PRIVATE KEY"
            ),
            "\n",
        ),
        s("private-key", "cut away\n", format!("{}\n-----END {}-----", mixed(64), "PRIVATE KEY"), "\n"),
        s("age-secret-key", "", format!("AGE-SECRET-KEY-1{}", upper(58)), "\n"),
        s("aws-access-key", "id = ", format!("AKIA{}", upper(16)), " "),
        s("aws-secret-key", "aws_secret_access_key = ", mixed(40), "\n"),
        s("google-api-key", "?key=", format!("AIza{}", mixed(35)), "&x=1"),
        s("google-oauth-secret", "", format!("GOCSPX-{}", mixed(28)), ""),
        s("google-oauth-token", "", format!("ya29.{}", mixed(40)), ""),
        s("azure-storage-key", "AccountName=x;AccountKey=", format!("{}==", mixed(86)), ";Suffix=y"),
        s("digitalocean-token", "", format!("dop_v1_{}", hex(64)), ""),
        s("databricks-token", "", format!("dapi{}", hex(32)), ""),
        s("github-token", "remote: ", format!("ghp_{}", mixed(36)), " ok"),
        s("github-token", "", format!("ghs_{}", mixed(50)), ""),
        s("github-fine-grained-token", "", format!("github_pat_{}_{}", mixed(22), mixed(59)), ""),
        s("gitlab-token", "", format!("glpat-{}", mixed(20)), ""),
        s("npm-token", "", format!("npm_{}", mixed(36)), ""),
        s("pypi-token", "", format!("pypi-AgEIcHlwaS5vcmc{}", mixed(60)), ""),
        s("rubygems-token", "", format!("rubygems_{}", hex(48)), ""),
        s("docker-token", "", format!("dckr_pat_{}", mixed(27)), ""),
        s("atlassian-token", "", format!("ATATT3{}", mixed(60)), ""),
        s("slack-token", "", format!("xoxb-{}-{}", "1".repeat(12), mixed(24)), ""),
        s(
            "slack-webhook",
            "https://hooks.slack.com/",
            format!("services/T{}/B{}/{}", upper(8), upper(8), mixed(24)),
            "",
        ),
        s("telegram-bot-token", "", format!("123456789:AA{}", mixed(33)), ""),
        s("stripe-key", "", format!("sk_live_{}", mixed(24)), ""),
        s("shopify-token", "", format!("shpat_{}", hex(32)), ""),
        s("sendgrid-key", "", format!("SG.{}.{}", mixed(22), mixed(43)), ""),
        s("twilio-key", "", format!("SK{}", hex(32)), ""),
        s("anthropic-key", "", format!("sk-ant-api03-{}", mixed(40)), ""),
        s("openai-key", "", format!("sk-proj-{}", mixed(40)), ""),
        s("hugging-face-token", "", format!("hf_{}", mixed(34)), ""),
        s("hashicorp-vault-token", "", format!("hvs.{}", mixed(24)), ""),
        s("grafana-token", "", format!("glsa_{}_{}", mixed(32), hex(8)), ""),
        s("new-relic-key", "", format!("NRAK-{}", upper(27)), ""),
        s("linear-key", "", format!("lin_api_{}", mixed(40)), ""),
        s("json-web-token", "", format!("eyJ{}.eyJ{}.{}", mixed(20), mixed(40), mixed(43)), ""),
        s("url-password", "postgres://app:", mixed(12), "@db.example/app"),
        s("authorization-header", "Authorization: Basic ", mixed(24), "\n"),
        s("bearer-token", "use bearer ", mixed(32), " now"),
        s("api-key-header", "X-Api-Key: ", mixed(24), "\n"),
        s("cookie", "Set-Cookie: ", format!("sid={}; Secure", mixed(16)), "\n"),
        s("netrc-password", "machine h login u password ", mixed(10), "\n"),
        s("command-line-password", "curl -u me:", mixed(10), " https://h.example/"),
        s("secret", "password = \"", mixed(12), "\""),
        s("secret", "DB_PASSWORD=", mixed(12), "\n"),
        s("secret", "/?access_token=", mixed(12), "&a=b"),
        s("secret", "  api_key: ", mixed(16), "\n"),
        s("secret", "tool --token ", mixed(12), " x"),
    ]
}

#[test]
fn every_format_compiles_and_has_a_keyword() {
    for (index, detector) in DETECTORS.iter().enumerate() {
        assert!(regex_of(index, detector).is_some(), "{}", detector.id);
        assert!(!detector.keywords.is_empty(), "{}", detector.id);
    }
    assert!(DETECTORS.len() >= 25);
}

#[test]
fn credentials_go_whole_and_nothing_else_goes() {
    for (id, before, secret, after) in samples() {
        let text = format!("{before}{secret}{after}");
        let out = scrub(&text);
        assert_eq!(out, format!("{before}[REDACTED:{id}]{after}"), "{id}: {text}");
        assert_eq!(scrub(&out), out, "scrubbing twice is scrubbing once: {id}");
    }
}

#[test]
fn a_credential_is_found_in_the_middle_of_any_text() {
    for (id, before, secret, after) in samples() {
        let text = format!("Zeile äöü 1\n{before}{secret}{after}\nlast line");
        assert!(!scrub(&text).contains(&secret), "{id}");
    }
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "fn token(&self) -> Token { self.next_token() }",
        "let password = read_password()?;",
        "password: string;",
        "the secret of success",
        "let api_key = std::env::var(\"API_KEY\")?;",
        "token: CancellationToken,",
        "https://example.com/a/b?c=d",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "export TOKEN=$(cat token)",
        "basket, task-force, disk-usage: sk-",
        "git@github.com:owner/name.git",
        "mailto:someone@example.com",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn leaves_and_keys_are_scrubbed_and_json_stays_json() {
    let token = format!("ghp_{}", mixed(36));
    let other = format!("ghp_{}", mixed(40));
    let value =
        json!({"a": [token, 1, {"b": format!("x \"{token}\" y")}], token.clone(): 1, other.clone(): 2});
    let out = scrubber().value(value, &Rewriting::default()).into_inner();
    let text = out.to_string();
    assert!(!text.contains(&token) && !text.contains(&other));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), out);
    assert_eq!(out["[REDACTED:github-token]"], 1);
    assert_eq!(out["[REDACTED:github-token]#2"], 2);
}

#[test]
fn the_name_of_a_member_may_tell() {
    let value = json!({"db_password": mixed(12), "token": "none", "count": 12, "name": mixed(12)});
    let out = scrubber().value(value, &Rewriting::default()).into_inner();
    assert_eq!(
        out,
        json!({"db_password": "[REDACTED:secret]", "token": "none", "count": 12, "name": mixed(12)})
    );
}

#[test]
fn large_numbers_keep_their_text() {
    let value: Value = serde_json::from_str("{\"n\":123456789012345678901234567890.10}").unwrap();
    let out = scrubber().value(value, &Rewriting::default()).into_inner();
    assert_eq!(out.to_string(), "{\"n\":123456789012345678901234567890.10}");
}

#[test]
fn redact_rules_have_their_own_words() {
    let rules = Rewriting {
        secrets_with: Some("<gone>".to_owned()),
        matches: vec![(regex::Regex::new("customer-[0-9]+").unwrap(), "customer-x".to_owned())],
    };
    let text = format!("customer-12 has ghp_{}", mixed(36));
    assert_eq!(scrubber().text(&text, &rules).get(), "customer-x has <gone>");
}

#[test]
fn a_credential_on_the_cut_goes_whole() {
    let token = format!("ghp_{}", mixed(36));
    for at in 0..=44 {
        let text = format!("{}{token} and more", "x".repeat(100 - at) + " ");
        let head = scrubber().head(&text, 100, &Rewriting::default()).into_inner();
        let part: String = token.chars().take(8).collect();
        assert!(!head.contains(&part), "{at}: {head}");
    }
    let data = json!({"text": "é".repeat(10)}).as_object().unwrap().clone();
    let heads = [Head { field: "text".to_owned(), bytes: 5 }];
    let out = scrubber().result(data, &heads, &Rewriting::default()).into_inner();
    assert_eq!(out, json!({"text": "éé"}));
}

#[test]
fn cutting_keeps_head_and_tail_and_says_so() {
    let value = json!({"stdout": "a".repeat(5_000) + "END", "stderr": "short"});
    let value = scrubber().value(value, &Rewriting::default());
    let (out, was_cut) = Scrubber::cut(value, 305);
    let out = out.into_inner();
    let text = out["stdout"].as_str().unwrap();
    assert!(was_cut && text.starts_with("aaa") && text.ends_with("END") && text.len() < 350, "{text}");
    assert_eq!(out["stderr"], "short");
    assert_eq!(out["truncated"], true);
    let small = scrubber().value(json!({"a": "bc"}), &Rewriting::default());
    assert!(!Scrubber::cut(small, 2).1);
}

#[test]
fn messages_name_no_path_outside() {
    let places = Places::new(["/home/user/app".to_owned()]);
    let shown = |text: &str| scrubber().message(text, &places).into_inner();
    for (text, expected) in [
        ("cannot read /etc/passwd: denied", "cannot read <outside the workspace>/…/passwd: denied"),
        ("cannot read /home/user/app/src/a.rs", "cannot read src/a.rs"),
        ("in /home/user/app", "in ."),
        ("in /home/user/apple/x", "in <outside the workspace>/…/x"),
        (
            "cat '/root/.ssh/id_x' > \"/tmp/a b\"",
            "cat '<outside the workspace>/…/id_x' > \"<outside the workspace>/…/a b\"",
        ),
        ("file:///etc/shadow", "file:<outside the workspace>/…/shadow"),
        ("see https://example.com/a/b", "see https://example.com/a/b"),
        ("src/a.rs and 1/2 and / stay", "src/a.rs and 1/2 and / stay"),
        ("--file=/opt/x,/opt/y", "--file=<outside the workspace>/…/x,<outside the workspace>/…/y"),
        ("policies/base.toll:14:1", "policies/base.toll:14:1"),
        ("read <outside the workspace>/…/passwd", "read <outside the workspace>/…/passwd"),
    ] {
        assert_eq!(shown(text), expected);
    }
}
