use std::time::Duration;

use tokio::sync::Mutex;

use super::*;

/// Strays are told apart by there being one call: these tests run one after the other.
static ALONE: Mutex<()> = Mutex::const_new(());

fn bash(command: &str, keep: usize) -> Program {
    let (path, args) = shell(command).unwrap();
    Program { path, args, cwd: "/".to_owned(), keep }
}

/// Whether a process with this argument is left.
fn lives(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.into_iter().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| line.split(|b| *b == 0).any(|word| word == argument.as_bytes()))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn output_exit_code_and_a_clean_environment() {
    let _alone = ALONE.lock().await;
    let program = bash("echo out; echo err >&2; env | cut -d= -f1; read x || echo no-input; exit 3", 10_000);
    let ended = run(&program, &Cancel::new()).await.unwrap();
    assert_eq!(ended.exit(), (Some(3), None));
    assert_eq!(ended.stderr.text(), "err\n");
    let text = ended.stdout.text();
    assert!(text.starts_with("out\n") && text.ends_with("no-input\n"), "{text}");
    for name in text.lines().skip(1).filter(|name| *name != "no-input") {
        assert!(is_passed(name) || ["PWD", "SHLVL", "_", "OLDPWD", MARK].contains(&name), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_has_a_session_of_its_own() {
    let _alone = ALONE.lock().await;
    let ended = run(&bash("ps -o sid= -p $$ | tr -d ' '; echo $$", 1_000), &Cancel::new()).await.unwrap();
    let text = ended.stdout.text();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], lines[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_tree_ends() {
    let _alone = ALONE.lock().await;
    let command = "sleep 7771 & setsid sleep 7772 & nohup sleep 7773 >/dev/null 2>&1 & \
                   (setsid env -i /bin/sleep 7774 &) & (trap '' TERM; sleep 7775) & \
                   (setsid env -i /bin/sh -c 'trap \"\" TERM; while :; do /bin/sleep 7776; done' &) & sleep 7777";
    let cancel = Cancel::new();
    let asked = cancel.clone();
    tokio::spawn(async move {
        sleep(Duration::from_millis(400)).await;
        asked.request();
    });
    let ended = run(&bash(command, 1_000), &cancel).await;
    assert_eq!(ended.unwrap_err(), ProcessError::Stopped { certain: true });
    for n in 7771..=7777 {
        assert!(!lives(&n.to_string()), "sleep {n} is left");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_leaves_behind_ends_with_it() {
    let _alone = ALONE.lock().await;
    let before = Instant::now();
    let ended =
        run(&bash("setsid sleep 7781 & sleep 7782 & echo done", 1_000), &Cancel::new()).await.unwrap();
    assert_eq!(ended.stdout.text(), "done\n");
    assert!(before.elapsed() < Duration::from_secs(5));
    assert!(!lives("7781") && !lives("7782"));
}

#[tokio::test(flavor = "multi_thread")]
async fn long_output_keeps_head_and_tail_in_bounded_memory() {
    let _alone = ALONE.lock().await;
    let ended = run(&bash("seq 1 2000000", 3_000), &Cancel::new()).await.unwrap();
    let text = ended.stdout.text();
    assert!(text.starts_with("1\n2\n") && text.ends_with("1999999\n2000000\n"), "{text}");
    assert!(text.len() < 3_200 && ended.stdout.is_cut());
    assert_eq!(ended.stdout.total(), 14_888_896);
}

#[test]
fn lines_on_the_gap_are_dropped() {
    let mut captured = Captured::default();
    captured.take(b"one\ntwo is cut here and goes on\nthree\n", 10, 12);
    assert_eq!(captured.text(), "one\n… 28 bytes left out …\nthree\n");
}

/// Containers often start a program in a namespace of its own without a new session: its session's
/// number is then 0.
#[test]
fn trees_end_where_the_session_lies_outside_the_namespace() {
    const INSIDE: &str = "TOLLGATE_TEST_INSIDE_NAMESPACE";
    if std::env::var_os(INSIDE).is_some() {
        return;
    }
    let unshare = || {
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork", "--mount-proc"]).env(INSIDE, "1");
        command
    };
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: this system gives no process namespace");
        return;
    }
    let _alone = ALONE.blocking_lock();
    let me = std::env::current_exe().unwrap();
    let ended = unshare().arg(me).args(["--test-threads=1", "host::process::"]).output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{text}");
    assert!(!text.contains(" 0 passed"), "{text}");
}
