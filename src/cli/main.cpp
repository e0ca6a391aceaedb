// bitpact: the program. Exit codes: 0 equal / done, 1 differs, 2 bad input or usage, 3 refused, 4 no verdict.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"

namespace {

int refused(const bitpact::Refused& refusal, bool json) {
  const bitpact::Diagnostic& d = refusal.diagnostic();
  const bitpact::CodeInfo& code = bitpact::info(d.code);
  bitpact::say(bitpact::to_text(d));
  if (json) {
    const nlohmann::json j{{"schema", "bitpact.diagnostic/1"},
                           {"code", code.name},
                           {"reason", d.reason},
                           {"operator", d.op},
                           {"backend", d.backend},
                           {"target", d.target},
                           {"help", code.help},
                           {"exit", code.exit}};
    bitpact::print_json(j);
  }
  return code.exit;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Bitpact finds out how a tensor operator computes, writes that down as a contract, and makes another backend compute the "
      "same bits.",
      "bitpact"};
  std::function<bitpact::ExitCode()> run;
  bool json = false;
  app.set_version_flag("--version", "bitpact " BITPACT_VERSION);
  bitpact::add_build_info({app, run, json});
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 equal or done, 1 differs, 2 bad input or usage, 3 refused, 4 no verdict.\nStart with: bitpact compare "
      "\"matmul 64x64xf32,64x64xf32\" --reference mlx --candidate iree");
  const bitpact::Program program{app, run, json};
  bitpact::add_compare(program);
  bitpact::add_backends(program);
  bitpact::add_operators(program);
  bitpact::add_probe(program);
  bitpact::add_lock(program);
  bitpact::add_check(program);
  bitpact::add_show(program);
  bitpact::add_diff(program);
  bitpact::add_contract(program);
  bitpact::add_emit(program);
  bitpact::add_run(program);
  bitpact::add_diagnostics(program);
  bitpact::add_completion(program);
  try {
    app.parse(argc, argv);
    if (!run) throw CLI::RequiredError("A verb");
    return run();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return refused(bitpact::Refused({bitpact::Code::Usage, error.what(), "", "", ""}), json);
  } catch (const bitpact::Refused& refusal) {
    return refused(refusal, json);
  } catch (const std::bad_alloc&) {
    return refused(bitpact::Refused({bitpact::Code::TooLarge, "not enough memory for this request", "", "", ""}), json);
  } catch (const std::exception& error) {
    return refused(bitpact::Refused({bitpact::Code::Internal, error.what(), "", "", ""}), json);
  }
}
