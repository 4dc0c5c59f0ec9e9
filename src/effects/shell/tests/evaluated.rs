//! Data that the shell would evaluate.

use crate::effects::shell::STEPS_PER_BYTE_MAX;
use crate::effects::shell::tests::{counted, effects};
use crate::model::effect::Resource;

fn is_opaque(line: &str) -> bool {
    effects(line).iter().any(|effect| match &effect.resource {
        Resource::Command(command) => command.opaque.is_some(),
        _ => false,
    })
}

#[test]
fn evaluated_data_is_opaque() {
    for line in [
        "x='a[$(git push)]'; echo ${!x}",
        "echo ${!x}",
        "for RANDOM in 'a[$(git push)]'; do :; done",
        "for RANDOM in 1 2 $y; do :; done",
        "for x in 'a[$(git push)]'; do echo ${y[$x]}; done",
        "select x in 'a[`git push`]'; do :; done",
        "declare -i x; x='a[$(git push)]'",
        "declare -i x; read x",
        "declare -i x=$y",
        "f() { local -i n=$1; }; f b",
        "read x; declare -i x",
        "read x; [ -v $x ]",
        "read x; [[ -v $x ]]",
        "read x; y[x]=1",
        "read x; y[$x]=1",
        "read x; y=([x]=1)",
        "y=('a[$(git push)]')",
        "RANDOM='a[$(git push)]'",
        "OPTIND=$y",
        "HISTCMD=a",
        "SECONDS=b ls",
        "read RANDOM <<< '1'",
        "read y <<< 'a[$(git push)]'",
        "set -- 'a[$(git push)]'",
        "export x='a[$(git push)]'",
        "printf -v x %s 'a[$(git push)]'",
        "read x; printf -v 'y[x]' 1",
        "read x; read $x",
        "read x; echo $((x))",
        "read x; y=x; echo $((y))",
        "read x; for i in 1 2; do echo $((x)); done",
        "read a1; x=1; echo $((a$x))",
        "read x; echo ${#y[$x]}",
        "read x; echo ${y:x}",
        "read x; let x+1",
        "read x; builtin let y=x",
        "read x; echo ${z[@]:$x}",
        "command declare -i x; read x",
        "read x; [[ 1 -eq $x ]]",
        "read; echo $((REPLY))",
        "echo $(( $(cat f) + 1 ))",
        "echo $(( $(date '+a[$(git push)]') ))",
        "declare -a 'y=($(git push))'",
        "f() { echo $(( $1 )); }; f 'a[$(git push)]'",
        "x='a['; x+='$(git push)]'",
    ] {
        assert!(is_opaque(line), "{line}: {:?}", super::super::tests::listing(line));
    }
}

#[test]
fn plain_work_is_understood() {
    for line in [
        "for i in 1 2 3; do echo ${a[$i]}; done",
        "for f in *.txt; do wc -l \"$f\"; done",
        "x=$(date); echo $x",
        "i=0; i=$((i+1))",
        "i=0; for f in a b c; do i=$((i+1)); echo $i; done",
        "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
        "while read -r l; do echo \"$l\"; done < a.txt",
        "for i in $(seq 3); do echo $((i * 2)); done",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "n=$(cat f | wc -l); echo $((n + 1))",
        "s=$(date +%s); echo $(( $(date +%s) - s ))",
        "msg=\"[$(date)] done\"; echo \"$msg\"",
        "OPTIND=1; SECONDS=0; echo $SECONDS",
        "y[0]=1; y[1]=b; echo ${y[1]} ${#y[@]}",
        "for k in \"${!y[@]}\"; do echo $k; done",
        "[[ $# -gt 0 ]] && echo yes",
        "[ -v x ] && echo yes",
        "x=y; echo ${!x}",
        "read -p \"$q\" y",
    ] {
        assert!(!is_opaque(line), "{line}: {:?}", super::super::tests::listing(line));
    }
}

#[test]
fn other_separators_make_words_unknown() {
    for line in ["IFS=_; x=git_push; $x", "x=git_push; IFS=_ eval '$x'", "IFS=_; eval 'x=git_push; $x'"] {
        assert!(is_opaque(line), "{line}: {:?}", super::super::tests::listing(line));
    }
    for line in ["IFS=_; x=a_b; cat $x", "declare IFS=_; x=a_b; cat $x", "set -- a_b; IFS=_; cat $1"] {
        let all = super::super::tests::listing(line);
        assert!(all.iter().any(|l| l.starts_with("read unresolved")), "{line}: {all:?}");
    }
    assert!(!is_opaque("while IFS= read -r l; do echo \"$l\"; done < a.txt"));
}

#[test]
fn long_words_end() {
    let n = 64 << 10;
    let deep = format!("echo {}a,b{}", "{".repeat(n / 2 - 16), "}".repeat(n / 2 - 16));
    let doubled = format!("set -- {}{}; $@", "a ".repeat(2000), "; set -- \"$@\" \"$@\"".repeat(1000));
    let empty = format!("set -- {}{}; cat $@", "'' ".repeat(2000), "; set -- \"$@\" \"$@\"".repeat(1000));
    let lines = [
        ("brackets", format!("cat {}", "[a".repeat(n / 2 - 8))),
        ("closed", format!("cat {}]", "[a".repeat(n / 2 - 8))),
        ("pairs", format!("cat {}", "[a]".repeat(n / 3 - 8))),
        ("stars", format!("cat {}", "*a".repeat(n / 2 - 8))),
        ("value", format!("x={}; cat $x", "[a".repeat(n / 2 - 8))),
        ("deep", deep),
        ("open", format!("echo {}a,b}}", "{".repeat(n - 16))),
        ("flat", format!("echo {}", "{a,b}".repeat(n / 5 - 8))),
        ("none", format!("echo {}", "{a}".repeat(n / 3 - 8))),
        ("commas", format!("echo {{{}}}", ",".repeat(n - 16))),
        ("case", format!("case x in {}) ;; esac", "[a".repeat(n / 2 - 16))),
        ("doubled", doubled),
        ("empty", empty),
        ("all", format!("set -- {}; cat {}", "a ".repeat(2000), "\"$@\" ".repeat(10_000))),
    ];
    for (name, line) in lines {
        let (found, steps) = counted(&line);
        assert!(!found.is_empty() || name == "case", "{name}");
        assert!(steps <= STEPS_PER_BYTE_MAX * line.len() as u64, "{name}: {steps} steps");
    }
}
