//! Credentials by their issuers' published formats. One row a format: adding one is adding a row.

/// One format.
pub(super) struct Detector {
    /// What stands in its place: `[REDACTED:id]`.
    pub(super) id: &'static str,
    /// Texts without which it cannot match, lower case. They are looked for first, all at once.
    pub(super) keywords: &'static [&'static str],
    /// The format. The first group is the credential; without one it is the whole match.
    pub(super) regex: &'static str,
    /// Bits of Shannon entropy a character that the credential must have, for loose formats.
    pub(super) entropy: f64,
}

const fn row(id: &'static str, keywords: &'static [&'static str], regex: &'static str) -> Detector {
    Detector { id, keywords, regex, entropy: 0.0 }
}

const fn loose(
    id: &'static str,
    keywords: &'static [&'static str],
    regex: &'static str,
    entropy: f64,
) -> Detector {
    Detector { id, keywords, regex, entropy }
}

/// Words in the names of what holds a credential.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "authkey",
    "auth_key",
    "auth-key",
    "private_key",
    "private-key",
    "credential",
];

/// The same as a regular expression, for the names of members.
pub(super) const NAME_REGEX: &str = r"(?i)(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)s?$";

pub(super) const DETECTORS: &[Detector] = &[
    // Key material.
    row(
        "private-key",
        &["private key"],
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    // The rest of a block whose beginning was cut away.
    row(
        "private-key",
        &["private key"],
        r"(?m)(?:^[A-Za-z0-9+/=]{1,80}\r?\n)+-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----",
    ),
    row("putty-private-key", &["private-lines"], r"(?s)Private-Lines: \d+.*?(?:Private-MAC: [0-9a-f]+|\z)"),
    row("age-secret-key", &["age-secret-key-1"], r"(?i)AGE-SECRET-KEY-1[0-9a-z]{58}"),
    // Clouds.
    row("aws-access-key", &["akia", "asia", "abia", "acca"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    row(
        "aws-secret-key",
        &["secretaccesskey", "secret_access_key", "secret access key", "aws_secret"],
        r#"(?i)(?:secret[_ ]?access[_ ]?key|aws_secret(?:_key)?)["']?\s*(?:[:=]|=>)?\s*["']?([A-Za-z0-9/+]{40})"#,
    ),
    row(
        "aws-session-token",
        &["session_token", "sessiontoken"],
        r#"(?i)session_?token["']?\s*[:=]\s*["']?([A-Za-z0-9/+=]{100,})"#,
    ),
    row("google-api-key", &["aiza"], r"AIza[0-9A-Za-z_-]{35}"),
    row("google-oauth-secret", &["gocspx-"], r"GOCSPX-[A-Za-z0-9_-]{28}"),
    row("google-oauth-token", &["ya29."], r"ya29\.[A-Za-z0-9_.-]{20,}"),
    row("google-refresh-token", &["1//0"], r"\b1//0[A-Za-z0-9_-]{40,}"),
    row("azure-storage-key", &["accountkey="], r"(?i)AccountKey=([A-Za-z0-9+/]{86}==)"),
    row("azure-shared-access-signature", &["sig="], r"[?&]sig=([A-Za-z0-9%+/]{40,}(?:=|%3D|%3d){0,2})"),
    row("azure-client-secret", &["q~"], r"\b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    row("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[por]_v1_[a-f0-9]{64}"),
    row("databricks-token", &["dapi"], r"\bdapi[a-f0-9]{32}(?:-\d)?"),
    row("cloudflare-origin-key", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    row("planetscale-token", &["pscale_"], r"\bpscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,}"),
    // Forges and package registries.
    row("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9_]{36,}"),
    row("github-fine-grained-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}"),
    row(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glsoat-", "glagent-", "gloas-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|soat|agent|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    row("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36,}"),
    row("npmrc-auth", &["_auth"], r"_auth(?:Token)?\s*=\s*([^\s$\[][^\s]*)"),
    row("pypi-token", &["pypi-ageicHlwas5vcmc", "pypi-ag"], r"\bpypi-Ag[A-Za-z0-9_-]{50,}"),
    row("rubygems-token", &["rubygems_"], r"\brubygems_[a-f0-9]{48}"),
    row("crates-io-token", &["cio"], r"\bcio[A-Za-z0-9]{32}"),
    row("docker-token", &["dckr_pat_", "dckr_oat_"], r"\bdckr_[po]at_[A-Za-z0-9_-]{27,}"),
    row("docker-config-auth", &["\"auth\""], r#""auth"\s*:\s*"([A-Za-z0-9+/=]{12,})""#),
    row("atlassian-token", &["atatt3", "atctt3"], r"\bAT[AC]TT3[A-Za-z0-9_=.-]{50,}"),
    // Messaging, payment, mail.
    row("slack-token", &["xox"], r"\bxox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    row("slack-app-token", &["xapp-"], r"(?i)\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+"),
    row(
        "slack-webhook",
        &["hooks.slack.com"],
        r"https?://hooks\.slack\.com/((?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,})",
    ),
    row(
        "discord-webhook",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/(webhooks/\d+/[A-Za-z0-9_-]{20,})",
    ),
    row("telegram-bot-token", &[":aa"], r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    row(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})",
    ),
    row("square-token", &["eaaa", "sq0"], r"\b(?:EAAA[A-Za-z0-9_-]{60}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43})"),
    row("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    row("sendgrid-key", &["sg."], r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    row("mailgun-key", &["key-"], r"\bkey-[0-9a-f]{32}"),
    row("twilio-key", &["sk"], r"\bSK[0-9a-f]{32}"),
    // Models and tools.
    row("anthropic-key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    row("openai-key", &["sk-"], r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    row("hugging-face-token", &["hf_"], r"\bhf_[A-Za-z0-9]{34,}"),
    row("hashicorp-vault-token", &["hvs.", "hvb.", "hvr."], r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}"),
    row("terraform-token", &[".atlasv1."], r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    row(
        "grafana-token",
        &["glsa_", "glc_"],
        r"\b(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,})",
    ),
    row("new-relic-key", &["nrak-"], r"\bNRAK-[A-Z0-9]{27}"),
    row("sentry-token", &["sntrys_", "sntryu_"], r"\bsntry[su]_[A-Za-z0-9+/=_]{40,}"),
    row("linear-key", &["lin_api_"], r"\blin_api_[A-Za-z0-9]{40}"),
    row("notion-token", &["ntn_"], r"\bntn_[A-Za-z0-9]{40,}"),
    row("postman-key", &["pmak-"], r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    row("doppler-token", &["dp."], r"\bdp\.(?:pt|st|ct|scim|audit)\.[A-Za-z0-9._-]{40,}"),
    row("figma-token", &["figd_"], r"\bfigd_[A-Za-z0-9_-]{40,}"),
    // Forms that many issuers share.
    row(
        "json-web-token",
        &["eyj"],
        r"\beyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]+)",
    ),
    row("url-password", &["://"], r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>$\[]+)@"#),
    row(
        "authorization-header",
        &["authorization"],
        r#"(?i)authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|negotiate|apikey)\s+([^\s"'\[$][^\r\n"']*)"#,
    ),
    // These have quotes inside.
    row(
        "authorization-header",
        &["authorization"],
        r#"(?i)authorization["']?\s*[:=]\s*["']?(?:digest|aws4-hmac-sha256)\s+([^\s\[][^\r\n]*)"#,
    ),
    row(
        "authorization-header",
        &["authorization"],
        r#"(?i)authorization["']?\s*[:=]\s*["']?([A-Za-z0-9+/=._~-]{16,})"#,
    ),
    row("bearer-token", &["bearer "], r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)"),
    row(
        "api-key-header",
        &["x-api-key", "x-auth-token", "private-token", "x-vault-token"],
        r#"(?i)\b(?:x-api-key|x-auth-token|private-token|x-vault-token)["']?\s*[:=]\s*["']?([^\s"'\[$]{6,})"#,
    ),
    row("cookie", &["cookie:"], r"(?im)(?:^|\s)(?:set-)?cookie:\s*([^\s\[][^\r\n]*)"),
    row("netrc-password", &["machine"], r"(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s\[]\S*)"),
    row(
        "command-line-password",
        &["curl"],
        r#"\bcurl\b[^\r\n]*?\s(?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"'$\[]+)"#,
    ),
    // name = "value"
    loose(
        "secret",
        NAMES,
        r#"(?i)(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)[A-Za-z0-9_]{0,20}["']?\s*(?::=|=>|[:=])\s*["']([^\s"'$\[<{][^\s"'<{]{5,})["']"#,
        2.3,
    ),
    // NAME=value, as in environment files.
    loose(
        "secret",
        NAMES,
        r#"(?m)\b[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|AUTH_?KEY|PRIVATE_?KEY|CREDENTIALS?)[A-Z0-9_]*=([^\s"'$\[(<{/][^\s"']{5,})"#,
        2.3,
    ),
    // name=value, as in query strings and options.
    loose(
        "secret",
        NAMES,
        r#"(?i)\b[a-z0-9_-]*(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|credential)=([^\s"'&$\[(){}<>;,/][^\s"'&(){}<>;,]{7,})"#,
        2.8,
    ),
    // name: value, as in YAML.
    loose(
        "secret",
        NAMES,
        r#"(?im)^[ \t-]*[a-z0-9_.-]*(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|credential):[ \t]+([^\s"'#;,(){}\[\]<>|&*!]*\d[^\s"'#;,(){}\[\]<>|]*)[ \t]*\r?$"#,
        2.8,
    ),
    // --password value
    loose(
        "secret",
        NAMES,
        r#"(?i)--(?:[a-z0-9]+-)*(?:password|passwd|passphrase|secret|token|api-?key)[ =]["']?([^\s"'$\[<({-][^\s"']{5,})"#,
        2.3,
    ),
];
