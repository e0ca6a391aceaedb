// bitpact run: a contract on real tensors, by the interpreter.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "interpret/covered.h"
#include "operators/catalogue.h"
#include "tensor/npy.h"
#include "tensor/tensor_argument.h"

namespace bitpact {

void add_run(Program program) {
  struct Options {
    std::string contract, output;
    std::vector<std::string> operands, attributes;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.app.add_subcommand("run", "runs a contract on tensors in files, bit for bit");
  verb->add_option("contract", o->contract, "contract file")->required();
  verb->add_option("operands", o->operands,
                   "in the operator's order: FILE.npy, or DUMP:NAME of a .safetensors or .npz file or a folder of .npy files")
      ->required();
  verb->add_option("--attribute", o->attributes, "e.g. transpose_b=true");
  verb->add_option("-o,--output", o->output, ".npy file for the result")->required();
  verb->callback([o, program] {
    program.run = [o] {
      const Contract contract = read_contract_file(o->contract);
      if (o->operands.size() != contract.op.operands.size())
        refuse(Code::OperandMismatch,
               fmt::format("{} file(s) for {} operand(s)", o->operands.size(), contract.op.operands.size()), {contract.op.name});
      Problem problem;
      problem.op = contract.op.name;
      problem.attributes = contract.op.attributes;
      const std::vector<AttributeSpec>& known = operator_named(contract.op.name).attributes;
      const bool takes_out = std::any_of(known.begin(), known.end(), [](const AttributeSpec& a) { return a.name == "out"; });
      if (takes_out && !contract.op.operands.empty() && contract.op.result != contract.op.operands.front())
        problem.attributes["out"] = name(contract.op.result);
      for (const std::string& text : o->attributes) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos) refuse(Code::Usage, fmt::format("--attribute {}: expected NAME=VALUE", text));
        problem.attributes[text.substr(0, equals)] = text.substr(equals + 1);
      }
      std::vector<Tensor> operands;
      for (size_t i = 0; i < o->operands.size(); ++i) {
        operands.push_back(read_tensor_argument(o->operands[i], contract.op.operands[i]));
        problem.operands.push_back({operands.back().format(), operands.back().shape()});
      }
      const Resolved resolved = resolve(problem);
      const Covered covered = cover(contract, resolved);
      write_npy(o->output, interpret(covered, operands).results[0]);
      say(fmt::format("{}: {} by the interpreter; the shape is {} by the contract", to_text(resolved.problem),
                      to_text(resolved.result.shape, resolved.result.format),
                      covered.verified ? "verified" : "predicted, not verified,"));
      return 0;
    };
  });
}

}  // namespace bitpact
