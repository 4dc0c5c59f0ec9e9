//! The grammar file in code: the only module that names the parser generator.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use super::words;

/// The parser made from `grammar/tollgate.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/tollgate.pest"]
struct Grammar;

/// A piece of matched text with its parts.
pub(crate) type Node<'a> = Pair<'a, Rule>;

/// Where reading stopped and what could have stood there.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Byte offset into the text that was parsed.
    pub at: usize,
    /// The rules that were tried there.
    pub expected: Vec<Rule>,
}

/// Reads one item with its `///` and `@` lines.
pub(crate) fn parse_item(text: &str) -> Result<Vec<Node<'_>>, Failure> {
    match Grammar::parse(Rule::piece, text) {
        Ok(pieces) => Ok(pieces.flat_map(Pair::into_inner).collect()),
        Err(error) => {
            let at = match error.location {
                InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
            };
            let expected = match error.variant {
                ErrorVariant::ParsingError { positives, .. } => positives,
                ErrorVariant::CustomError { .. } => Vec::new(),
            };
            Err(Failure { at, expected })
        }
    }
}

/// What a person calls the thing a rule reads.
pub(crate) fn human(rule: Rule) -> String {
    let structure = structure(rule).or_else(|| token(rule));
    structure.map_or_else(|| format!("`{}`", keyword(rule)), str::to_owned)
}

/// The words that a rule can start with, for "did you mean".
pub(crate) fn starts_with(rule: Rule) -> Vec<String> {
    let list: &[&str] = match rule {
        Rule::clause => words::CLAUSES,
        Rule::tool_line => words::TOOL_LINES,
        Rule::comparator | Rule::compare_word | Rule::word_operator => {
            &["is", "in", "under", "matches", "contains", "starts", "ends", "not"]
        }
        Rule::plain_operator => &["in", "under", "matches", "contains"],
        Rule::verb => words::VERBS,
        Rule::limit => &["time", "output", "calls", "grade"],
        Rule::state => &["present", "absent", "null", "opaque", "unresolved"],
        Rule::by => &["by"],
        Rule::example_in => &["in"],
        Rule::example_with => &["with"],
        Rule::example_gives => &["gives"],
        Rule::runs_in => &["in"],
        Rule::as_word => &["as"],
        Rule::on_target => &["on"],
        Rule::or_value => &["or"],
        Rule::when => &["when"],
        Rule::result_of => &["result"],
        Rule::never => &["never"],
        Rule::quantifier => &["any", "all"],
        Rule::approve_per => &["per"],
        Rule::approve_for => &["for"],
        Rule::limit_time => &["time"],
        Rule::limit_output => &["output"],
        Rule::limit_calls => &["calls"],
        Rule::limit_grade => &["grade"],
        Rule::starts_with => &["starts"],
        Rule::ends_with => &["ends"],
        _ => {
            let word = keyword(rule);
            return if word.is_empty() { Vec::new() } else { vec![word] };
        }
    };
    list.iter().map(|&word| word.to_owned()).collect()
}

/// The word of a `kw_` rule; its name is made of it, which a test holds to be so.
fn keyword(rule: Rule) -> String {
    format!("{rule:?}").strip_prefix("kw_").unwrap_or_default().to_owned()
}

fn structure(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::piece | Rule::item | Rule::rule_item => "an item",
        Rule::doc | Rule::doc_mark => "a `///` line",
        Rule::attribute => "an `@` line",
        Rule::edition => "`tollgate 1`",
        Rule::import => "`import \"FILE\"`",
        Rule::modes => "`modes NAME, …`",
        Rule::labels => "`labels NAME, …`",
        Rule::default => "`default WORD`",
        Rule::unknown => "`unknown WORD`",
        Rule::let_item => "`let NAME = …`",
        Rule::let_value => "a set or a condition",
        Rule::tool => "`tool NAME { … }`",
        Rule::invariant => "`invariant NAME { … }`",
        Rule::never => "`never`",
        Rule::verb => "a verb",
        Rule::capabilities => "capabilities",
        Rule::by => "`by`",
        Rule::tool_line | Rule::bare => "a line such as `reads args.path`",
        Rule::access | Rule::access_verb => "`reads ARG`",
        Rule::connects => "`connects ARG`",
        Rule::runs => "`runs ARG`",
        Rule::runs_in | Rule::example_in => "`in`",
        Rule::as_word => "`as`",
        Rule::schema => "`schema`",
        Rule::capability => "a capability",
        Rule::on_target | Rule::on => "`on`",
        Rule::tool_arg => "an argument such as `args.path`",
        Rule::or_value => "`or \"VALUE\"`",
        Rule::clause => "a clause",
        Rule::result_of => "`result of`",
        Rule::when => "`when`",
        Rule::unless => "`unless`",
        Rule::because => "`because`",
        Rule::fix => "`fix`",
        Rule::covers => "`covers`",
        Rule::limit => "`limit`",
        Rule::limit_time => "`time`",
        Rule::limit_output => "`output`",
        Rule::limit_calls => "`calls`",
        Rule::limit_grade => "`grade`",
        Rule::approve => "`approve`",
        Rule::approve_per => "`per`",
        Rule::approve_for => "`for`",
        Rule::until => "`until`",
        Rule::mark => "`mark`",
        Rule::set_arg => "`set`",
        Rule::fill => "`fill`",
        Rule::clamp => "`clamp`",
        Rule::remove => "`remove`",
        Rule::append => "`append`",
        _ => return structure_within(rule),
    })
}

fn structure_within(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::append_command => "`command`",
        Rule::append_value | Rule::replace_what | Rule::field | Rule::operand | Rule::call => "a field",
        Rule::replace => "`replace`",
        Rule::redact_what => "`secrets` or a regex",
        Rule::example => "`example`",
        Rule::example_with => "`with`",
        Rule::example_gives => "`gives`",
        Rule::condition | Rule::conjunction | Rule::negation | Rule::group | Rule::comparison => {
            "a condition"
        }
        Rule::session => "`session has LABEL`",
        Rule::quantifier => "`any` or `all`",
        Rule::function => "a function",
        Rule::step => "`.NAME` or `[N]`",
        Rule::star => "`*`",
        Rule::index => "an index",
        Rule::comparator
        | Rule::compare_is
        | Rule::compare_word
        | Rule::compare_sign
        | Rule::compare_wrong
        | Rule::word_operator
        | Rule::plain_operator
        | Rule::sign_operator
        | Rule::wrong_operator => "an operator such as `is` or `in`",
        Rule::starts_with => "`starts with`",
        Rule::ends_with => "`ends with`",
        Rule::state => "`present`, `absent`, `null`, `opaque` or `unresolved`",
        Rule::wrong_or => "`or`",
        Rule::wrong_and => "`and`",
        Rule::wrong_not => "`not`",
        _ => return None,
    })
}

fn token(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::value | Rule::element | Rule::bare_word => "a value",
        Rule::set => "a set",
        Rule::set_type => "a set's type",
        Rule::set_element => "an element",
        Rule::string => "a string in double quotes",
        Rule::command => "a command in backticks",
        Rule::regex => "a regex between slashes",
        Rule::quantity | Rule::quantity_char => "a number",
        Rule::address => "an address",
        Rule::name | Rule::loose_name | Rule::loose_char => "a name",
        Rule::word | Rule::word_start | Rule::word_char | Rule::end | Rule::never_operand => "a word",
        Rule::json | Rule::json_value => "a JSON value",
        Rule::json_object | Rule::json_braces => "a JSON object",
        Rule::json_pair => "a JSON pair",
        Rule::json_list => "a JSON list",
        Rule::json_string | Rule::json_char | Rule::json_escape => "a JSON string",
        Rule::json_number => "a JSON number",
        Rule::lbrace => "`{`",
        Rule::rbrace => "`}`",
        Rule::lparen => "`(`",
        Rule::rparen => "`)`",
        Rule::comma => "`,`",
        Rule::equals => "`=`",
        Rule::dots => "`..`",
        Rule::EOI => "the end of the item",
        Rule::WHITESPACE | Rule::COMMENT | Rule::json_gap => "a blank",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Rule, human, keyword};

    #[test]
    fn every_rule_has_a_human_name() {
        for &rule in Rule::all_rules() {
            let name = human(rule);
            let internal = format!("{rule:?}");
            assert!(name.len() > 2 && name != "``", "{internal} has no name");
            assert!(!name.contains('_'), "{name} is no word for people");
            if internal.starts_with("kw_") {
                assert_eq!(name, format!("`{}`", keyword(rule)));
            }
        }
    }
}
