//! The `tollgate` command.

fn main() -> std::process::ExitCode {
    tollgate::cli::run(std::env::args_os()).into()
}
