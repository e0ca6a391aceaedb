#include "picture/text.h"

namespace bitpact {
namespace {

class Writer {
 public:
  Writer(const Drawing& drawing, bool ascii) : drawing_(drawing), ascii_(ascii) {}

  // As deep as the drawing, which holds few items.
  void write(const DrawnEntry& entry, bool begins, const std::string& before, const std::string& after) {
    text += before + entry_text(drawing_, entry, begins) + "\n";
    const auto& below = drawing_.node(entry.node).entries;
    for (size_t e = 0; e < below.size(); ++e) {
      const bool last = e + 1 == below.size();
      write(below[e], e == 0, after + (ascii_ ? (last ? "`- " : "|- ") : (last ? "└─ " : "├─ ")),
            after + (last     ? "   "
                     : ascii_ ? "|  "
                              : "│  "));
    }
  }

  std::string text;

 private:
  const Drawing& drawing_;
  bool ascii_;
};

}  // namespace

std::string to_text(const Drawing& drawing, bool ascii, const std::string& indent) {
  Writer writer(drawing, ascii);
  writer.write({}, true, indent, indent);
  return writer.text;
}

}  // namespace bitpact
