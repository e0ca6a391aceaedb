#include "contract/fold_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bitpact {
namespace {

std::vector<std::string> numbered(const std::string& word, size_t count) {
  std::vector<std::string> names;
  for (size_t s = 0; s < count; ++s) names.push_back(count == 1 ? word : fmt::format("{}{}", word, s));
  return names;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> operand_names(const NumericProgram& program, const Fold& fold) {
  std::vector<std::string> names;
  names.reserve(fold.operands.size());
  for (int operand : fold.operands) names.push_back(node_name(program, operand));
  return names;
}

std::string in_order(const Order& order) {
  if (order == Order::sequential()) return "in order";
  if (order == Order::backwards()) return "in reverse order";
  return to_text(order);
}

/// What becomes of a sum in the format of its addition; of integers, nothing is rounded.
std::string kept_in(const Instruction& sum) {
  if (is_float(sum.format) || sum.policy.overflow != Overflow::Ieee) return "rounded to " + rounded_to(sum.format, sum.policy);
  return fmt::format("modulo 2^{}", info(sum.format).bits);
}

std::string start_words(const std::string& start) { return (start.starts_with("first leaf") ? "" : "starting ") + start; }

std::string how(const std::vector<Choice>& choices, std::string_view what) {
  for (const Choice& choice : choices)
    if (choice.what == what) return choice.how;
  return "";
}

}  // namespace

FoldShape shape_of(const Fold& fold) {
  FoldShape shape;
  const ScalarBody& step = fold.step;
  const auto arguments = static_cast<int>(step.arguments.size());
  if (step.results.size() != 1 || step.results[0] < arguments) return shape;
  const auto code = [&](int value) { return step.code[static_cast<size_t>(value - arguments)]; };
  std::vector<bool> uses_state(step.arguments.size() + step.code.size(), false);
  uses_state[0] = true;
  for (size_t i = 0; i < step.code.size(); ++i)
    for (int a = 0; a < info(step.code[i].op).operands; ++a)
      if (uses_state[static_cast<size_t>(step.code[i].args[static_cast<size_t>(a)])])
        uses_state[static_cast<size_t>(arguments) + i] = true;
  shape.operation = code(step.results[0]);
  const auto& args = shape.operation.args;
  const auto is_state = [&](size_t a) { return args[a] == 0; };
  const auto is_free = [&](size_t a) { return !uses_state[static_cast<size_t>(args[a])]; };
  switch (shape.operation.op) {
    case ScalarOp::Fma:
      shape.fused = is_state(2) && is_free(0) && is_free(1);
      if (shape.fused) shape.kind = FoldShape::Kind::Sum;
      return shape;
    case ScalarOp::Add:
    case ScalarOp::Maximum:
    case ScalarOp::Minimum:
      for (size_t side : {size_t{0}, size_t{1}})
        if (is_state(side) && is_free(1 - side)) shape.term = args[1 - side];
      if (shape.term < 0) return shape;
      shape.kind = shape.operation.op == ScalarOp::Add       ? FoldShape::Kind::Sum
                   : shape.operation.op == ScalarOp::Maximum ? FoldShape::Kind::Maximum
                                                             : FoldShape::Kind::Minimum;
      shape.product = shape.kind == FoldShape::Kind::Sum && shape.term >= arguments &&
                      code(shape.term).op == ScalarOp::Multiply && is_float(code(shape.term).format);
      return shape;
    default:
      return shape;
  }
}

std::string_view name(FoldShape::Kind kind) {
  switch (kind) {
    case FoldShape::Kind::Sum:
      return "sum";
    case FoldShape::Kind::Maximum:
      return "maximum";
    case FoldShape::Kind::Minimum:
      return "minimum";
    default:
      return "fold";
  }
}

FoldWords::FoldWords(const NumericProgram& program, const Fold& fold)
    : fold_(fold),
      shape_(shape_of(fold)),
      step_(fold.step, joined(numbered("state", fold.step.results.size()), operand_names(program, fold))),
      lift_(fold.start.lift, operand_names(program, fold)),
      finish_(fold.finish, numbered("state", fold.step.results.size())) {
  const size_t components = fold.step.results.size();
  if (fold.tail) {
    tail_fold_ = std::make_unique<Fold>(tail_alone(fold));
    tail_ = std::make_unique<FoldWords>(program, *tail_fold_);
    tail_join_.emplace(fold.tail->join, joined(numbered("head", components), numbered("tail", tail_fold_->step.results.size())));
    tail_finish_.emplace(fold.tail->finish, numbered("tail", tail_fold_->step.results.size()));
  }
  if (fold.merge != ScalarBody{}) merge_.emplace(fold.merge, joined(numbered("left", components), numbered("right", components)));
  if (fold.enter != ScalarBody{}) enter_.emplace(fold.enter, numbered("state", components));
}

std::string FoldWords::product() const {
  if (shape_.fused) return "fused: not rounded by itself (FMA)";
  const Instruction& i = *step_.code(shape_.term);
  switch (step_.exactness_of_product(i)) {
    case Exactness::Always:
      return fmt::format("exact in {}", rounded_to(i.format, i.policy));
    case Exactness::OnDomain:
      return fmt::format("rounded to {} (exact unless it overflows or is subnormal)", rounded_to(i.format, i.policy));
    case Exactness::Never:
      break;
  }
  return "rounded to " + rounded_to(i.format, i.policy);
}

std::string FoldWords::start() const {
  std::string other = "first leaf: " + lift_.all_results();
  if (shape_.kind == FoldShape::Kind::Other) return other;
  const Instruction* first = lift_.code(lift_.result());
  const auto from = [&](int value) -> std::string {
    const Instruction* i = lift_.code(value);
    if (i == nullptr || i->op != ScalarOp::Constant) return "";
    const std::string text = to_text(Scalar{i->format, i->immediate});
    return "from " + (text == "0" && is_float(i->format) ? "+0" : text);
  };
  const Instruction& step = shape_.operation;
  const bool like_step = first != nullptr && first->format == step.format && first->policy == step.policy;
  if (shape_.fused) {
    if (!like_step || (first->op != ScalarOp::Multiply && first->op != ScalarOp::Fma)) return other;
    for (size_t a : {size_t{0}, size_t{1}})
      if (lift_.text(first->args[a]) != step_.text(step.args[a])) return other;
    if (first->op == ScalarOp::Multiply) return "with the first product, rounded to " + rounded_to(first->format, first->policy);
    std::string value = from(first->args[2]);
    return value.empty() ? other : value;
  }
  const std::string term = step_.text(shape_.term);
  if (lift_.all_results() == term) return shape_.product ? "with the first product" : "with the first term";
  if (!like_step || first->op != step.op || first->nan != step.nan) return other;
  for (size_t side : {size_t{0}, size_t{1}})
    if (std::string value = from(first->args[side]); !value.empty() && lift_.text(first->args[1 - side]) == term) return value;
  return other;
}

std::string FoldWords::merge() const {
  std::string other = "joined by " + merge_->all_results();
  if (shape_.kind == FoldShape::Kind::Other) return other;
  const Instruction* join = merge_->code(merge_->result());
  if (join == nullptr || join->op != ScalarOp::Add || join->args[0] != 0 || join->args[1] != 1) return other;
  return "added, " + kept_in(*join);
}

std::vector<Choice> FoldWords::choices() const {
  std::vector<Choice> all{{"kind", std::string(name(shape_.kind))},
                          {"over", axes_text(fold_.over)},
                          {"accumulator", formats_text(fold_.state_formats())}};
  if (shape_.fused || shape_.product) {
    all.push_back({"term", step_.product(shape_.fused ? shape_.operation : *step_.code(shape_.term))});
    all.push_back({"product", product()});
  } else if (shape_.term >= 0) {
    all.push_back({"term", step_.text(step_.origin(shape_.term))});
  } else {
    all.push_back({"step", step_.all_results()});
  }
  if (shape_.kind == FoldShape::Kind::Sum) all.push_back({"partial sums", kept_in(shape_.operation)});
  if (shape_.operation.nan == NanRule::Number) all.push_back({"NaN", "loses against a number"});
  all.push_back({"start", start()});
  all.push_back({"order", in_order(fold_.order)});
  if (merge_) all.push_back({"partial results", merge()});
  if (enter_) all.push_back({"first partial result", enter_->all_results()});
  if (gives_finished()) all.push_back({"finish", finish_.all_results()});
  if (tail_) {
    for (Choice& choice : tail_->choices())
      if (choice.what != "over" && choice.what != "order" && choice.what != "result axes" && choice.what != "finish")
        all.push_back({"tail: " + choice.what, std::move(choice.how)});
    all.push_back({"head and tail", tail_join_->all_results()});
    all.push_back({"tail alone", tail_finish_->all_results()});
  }
  if (fold_.emit == Emit::Prefixes) all.push_back({"gives", "every prefix"});
  all.push_back({"result axes", axes_text(fold_.axes)});
  return all;
}

std::string FoldWords::sentence() const {
  const std::vector<Choice> all = choices();
  const auto of = [&all](std::string_view what) { return how(all, what); };
  std::string text = fold_.over.empty() ? "over nothing (one leaf): " : fmt::format("over {}: ", fmt::join(fold_.over, ", "));
  text += chain_sentence(all);
  text += fmt::format("; {}; {}", of("order"), start_words(of("start")));
  if (merge_) text += "; partial results are " + of("partial results");
  if (enter_) text += ", the first made " + of("first partial result") + " before";
  if (!of("finish").empty() && !tail_) text += "; gives " + of("finish");
  if (!of("gives").empty()) text += "; every prefix is given";
  if (!tail_) return text;
  const std::vector<Choice> tail = tail_->choices();
  text += fmt::format(
      "; of the tail behind the whole rows {}; {}; head and tail give {}; the head alone gives {}; a tail alone gives {}",
      tail_->chain_sentence(tail), start_words(how(tail, "start")), of("head and tail"), of("finish"), of("tail alone"));
  return text;
}

std::string FoldWords::chain_sentence(const std::vector<Choice>& all) const {
  const auto of = [&all](std::string_view what) { return how(all, what); };
  std::string text;
  const std::string accumulator =
      fmt::format("added to an accumulator in {}, each partial sum {}", of("accumulator"), of("partial sums"));
  if (shape_.fused)
    text += fmt::format("each product {} is {}", of("term"), accumulator + " by FMA, not rounded by itself");
  else if (shape_.product)
    text += fmt::format("each product {} is {}, then {}", of("term"), of("product"), accumulator);
  else if (shape_.kind == FoldShape::Kind::Sum)
    text += fmt::format("each {} is {}", of("term"), accumulator);
  else if (shape_.kind != FoldShape::Kind::Other)
    text += fmt::format("the {} of {} in {}", of("kind"), of("term"), of("accumulator"));
  else
    text += fmt::format("state in {}; each step makes it {}", of("accumulator"), of("step"));
  if (!of("NaN").empty()) text += ", where a NaN loses against a number";
  return text;
}

std::vector<std::string> FoldWords::boundaries() const {
  std::vector<std::string> all;
  const bool sum = shape_.kind == FoldShape::Kind::Sum;
  if (shape_.fused && start().starts_with("with the first product"))
    all.push_back("first product -> " + rounded_to(shape_.operation.format, shape_.operation.policy));
  add_boundaries(step_, "", sum ? step_.result() : -1, "partial sum", all);
  if (merge_) add_boundaries(*merge_, "", sum ? merge_->result() : -1, "sum of partial sums", all);
  if (enter_) add_boundaries(*enter_, "first partial sum: ", -1, "", all);
  if (gives_finished()) add_boundaries(finish_, "", -1, "", all);
  if (tail_) {
    for (const std::string& boundary : tail_->boundaries()) all.push_back("tail: " + boundary);
    add_boundaries(*tail_join_, "head and tail: ", -1, "", all);
    add_boundaries(*tail_finish_, "tail alone: ", -1, "", all);
  }
  return all;
}

void add_boundaries(const BodyWords& body, const std::string& label, int value, const std::string& special,
                    std::vector<std::string>& all) {
  const Instruction* given = value < 0 ? nullptr : body.code(value);
  for (const Instruction& i : body.instructions()) {
    if (!body.is_rounding(i)) continue;
    std::string what(info(i.op).name);
    if (&i == given)
      what = special;
    else if (i.op == ScalarOp::Convert)
      what = name(body.format_of(i.args[0]));
    else if (i.op == ScalarOp::Multiply)
      what = "product";
    else if (i.op == ScalarOp::Add)
      what = "sum";
    all.push_back(fmt::format("{}{} -> {}", label, what, rounded_to(i.format, i.policy)));
  }
}

}  // namespace bitpact
