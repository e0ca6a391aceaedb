// bitpact completion: a script for the shell. It is made from the program's own table of verbs and options, so it knows them all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "backends/backend.h"
#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {

namespace {

struct Words {
  std::string verb;
  std::vector<std::string> options;
};

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<Words> words_of(const CLI::App& app) {
  std::vector<Words> all;
  for (const CLI::App* verb : app.get_subcommands({})) all.push_back({verb->get_name(), options_of(*verb)});
  return all;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendKind& kind : backend_kinds()) names.push_back(kind.name == "worker" ? "worker:" : kind.name);
  return names;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator& op : catalogue()) names.push_back(op.name);
  return names;
}

// Values are those of the option before the cursor, then the verb's options and files.
std::string bash_script(const CLI::App& app) {
  std::string verbs, cases;
  for (const Words& words : words_of(app)) {
    verbs += (verbs.empty() ? "" : " ") + words.verb;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", words.verb, fmt::join(words.options, " "));
  }
  return fmt::format(R"(# bash completion for bitpact: source this, or put it in a file of that name in bash-completion's folder.
_bitpact() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}} options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{verbs} {top}" -- "$word"))
    return
  fi
  case $before in
    --reference | --candidate | --backend | --for) COMPREPLY=($(compgen -W "{backends}" -- "$word")); return ;;
  esac
  case $verb in
    operators) COMPREPLY=($(compgen -W "{operators}" -- "$word")) ;;
    backends) COMPREPLY=($(compgen -W "{backends}" -- "$word")) ;;
  esac
  case $verb in
{cases}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) [ -n "${{COMPREPLY[*]}}" ] || compopt -o default ;;
  esac
}}
complete -F _bitpact bitpact
)",
                     fmt::arg("verbs", verbs), fmt::arg("top", fmt::join(options_of(app), " ")),
                     fmt::arg("backends", fmt::join(backend_names(), " ")),
                     fmt::arg("operators", fmt::join(operator_names(), " ")), fmt::arg("cases", cases));
}

// zsh reads bash's completions.
std::string zsh_script(const CLI::App& app) {
  return "# zsh completion for bitpact: source this from .zshrc, after compinit.\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(app);
}

std::string fish_script(const CLI::App& app) {
  std::string script = "# fish completion for bitpact: put this in ~/.config/fish/completions/bitpact.fish.\n";
  std::string verbs;
  for (const Words& words : words_of(app)) verbs += (verbs.empty() ? "" : " ") + words.verb;
  script += fmt::format("complete -c bitpact -n '__fish_use_subcommand' -f -a '{}'\n", verbs);
  for (const Words& words : words_of(app)) {
    for (const std::string& option : words.options)
      script += fmt::format("complete -c bitpact -n '__fish_seen_subcommand_from {}' -l {}\n", words.verb, option.substr(2));
  }
  for (const char* option : {"reference", "candidate", "for"})
    script += fmt::format("complete -c bitpact -l {} -x -a '{}'\n", option, fmt::join(backend_names(), " "));
  return script;
}

}  // namespace

void add_completion(Program program) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = program.app.add_subcommand("completion", "a completion script for bash, zsh or fish");
  verb->add_option("shell", *shell, "bash, zsh or fish")->required();
  verb->callback([shell, program] {
    program.run = [shell, program] {
      if (*shell == "bash") {
        print(bash_script(program.app));
      } else if (*shell == "zsh") {
        print(zsh_script(program.app));
      } else if (*shell == "fish") {
        print(fish_script(program.app));
      } else {
        refuse(Code::Usage, fmt::format("no completion for '{}': bash, zsh or fish", *shell));
      }
      return 0;
    };
  });
}

}  // namespace bitpact
