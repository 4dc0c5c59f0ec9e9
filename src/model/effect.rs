//! Effects: one capability on one resource each.

use std::net::IpAddr;
use std::sync::Arc;

use super::command::Command;
use super::path::PathFact;
use super::{Action, Capability};

/// One thing that a call does.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// What it does.
    pub capability: Capability,
    /// To what.
    pub resource: Resource,
    /// How that is known.
    pub origin: Origin,
    /// For reads and writes of paths.
    pub action: Option<Action>,
    /// The command that caused it (`via`).
    pub via: Option<Arc<Command>>,
    /// The index, in the call's list of effects, of the exec effect that caused it.
    pub cause: Option<usize>,
    /// Where it comes from, for people: ``argument 1 of `cat` ``, `args.path`.
    pub from: Option<String>,
}

/// How an effect is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A line of a tool's declaration names it.
    Declared,
    /// A command line names it.
    Spelled,
    /// What a program does without saying so: has no resource.
    Implied,
    /// Nothing declares the tool.
    Undeclared,
}

/// What an effect is on.
#[derive(Debug, Clone, PartialEq)]
pub enum Resource {
    /// Nothing that could be named (a bare capability, an implied or undeclared effect).
    None,
    /// A path.
    Path(PathFact),
    /// A simple command.
    Command(Arc<Command>),
    /// An address of a host.
    Network(Box<NetworkFact>),
    /// A plain string (a recipient, a table, a record).
    Target(String),
}

/// What is known about a connection. Parts are as the URL standard's parser writes them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkFact {
    /// What the argument or word said.
    pub given: String,
    /// The serialised URL; absent for `host:port`.
    pub url: Option<String>,
    /// Lower case, without the colon; absent for `host:port`.
    pub scheme: Option<String>,
    /// IDNA ASCII, lower case, no trailing dot; an address in its plain form (no brackets).
    pub host: Option<String>,
    /// The port, the scheme's default filled in.
    pub port: Option<u16>,
    /// Whether the port stands in the text and is not the scheme's default.
    pub port_written: bool,
    /// Path, beginning with `/` for hierarchical URLs.
    pub path: Option<String>,
    /// Without `?`.
    pub query: Option<String>,
    /// `user:password` as written; absent where there is none.
    pub userinfo: Option<String>,
    /// The HTTP method where the tool or command names one.
    pub method: Option<String>,
    /// The address that is judged.
    pub ip: Address,
    /// Why the whole connection cannot be known, where it cannot.
    pub unresolved: Option<String>,
}

/// The address of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Address {
    /// Nothing in the program asks for it, so it was not looked up; never seen by a rule.
    #[default]
    NotAsked,
    /// IPv4 inside IPv6 is already the IPv4 address.
    Known(IpAddr),
    /// The name does not resolve, or could not be looked up.
    Unresolved,
}
