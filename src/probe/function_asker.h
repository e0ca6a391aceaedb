// Asks a backend for values of a function: an operator of one operand whose outputs each depend on the element at their own
// place.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "operators/catalogue.h"

namespace bitpact {

/// Whether the problem asks for a function of every element, by its binding and its canonical program.
bool is_function(const Resolved& problem);

/// One thread asks; others may call at() meanwhile.
class FunctionAsker {
 public:
  /// `problem` is_function. Its formats and attributes count, its shape does not.
  FunctionAsker(Backend& backend, const Resolved& problem) : backend_(backend), problem_(problem) {}

  Format argument() const { return problem_.problem.operands[0].format; }
  Format result() const { return problem_.result.format; }
  const Resolved& problem() const { return problem_; }
  Backend& backend() { return backend_; }

  /// The backend's values, every NaN the quiet one. `repeat` > 1 refuses `nondeterministic` where two runs differ.
  Tensor ask(const Tensor& x, int repeat = 1);
  /// The same, NaNs as they came: for a caller that has a thread for that.
  Tensor ask_raw(const Tensor& x, int repeat = 1);
  /// The problem at another shape.
  const Resolved& at(const Shape& shape);
  /// The problem lines that were asked, each once, in order.
  const std::vector<std::string>& lines() const { return lines_; }
  double backend_seconds() const { return seconds_; }  ///< what the backend reports that it computed for
  std::int64_t calls() const { return calls_; }

 private:
  struct Asked {
    Resolved problem;
    BoundProgram canonical;  ///< for a backend that runs nothing but programs
    bool counted = false;
  };
  Asked& asked_at(const Shape& shape);

  Backend& backend_;
  Resolved problem_;
  std::mutex guard_;  // of the map; what it holds stays where it is
  std::map<Shape, Asked> shapes_;
  std::vector<std::string> lines_;
  double seconds_ = 0;
  std::int64_t calls_ = 0;
};

/// Makes every NaN the quiet one of the tensor's format.
void make_nans_quiet(Tensor& tensor);

}  // namespace bitpact
