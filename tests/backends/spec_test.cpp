#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace bitpact {
namespace {

using testing::refusal;

TEST(Spec, ReadsAllParts) {
  EXPECT_EQ(parse_backend("native"), (BackendSpec{"native", "", {}}));
  EXPECT_EQ(parse_backend("mlx:gpu"), (BackendSpec{"mlx", "gpu", {}}));
  EXPECT_EQ(parse_backend("iree[opt=O2,threads=1]"), (BackendSpec{"iree", "", {{"opt", "O2"}, {"threads", "1"}}}));
  EXPECT_EQ(parse_backend("iree[target-cpu=x86-64-v3,features=+avx;-fma]:cpu"),
            (BackendSpec{"iree", "cpu", {{"target-cpu", "x86-64-v3"}, {"features", "+avx;-fma"}}}));
  EXPECT_EQ(parse_backend("onnxruntime[accuracy_level=4]"), (BackendSpec{"onnxruntime", "", {{"accuracy_level", "4"}}}));
  EXPECT_EQ(parse_backend("worker:./mine --fast [x]"), (BackendSpec{"worker", "./mine --fast [x]", {}}));
}

TEST(Spec, TextReadsBack) {
  for (const char* text :
       {"native", "mlx:gpu", "iree[opt=O2,threads=1]", "iree[features=+a;-b]:cpu", "worker[a=b]:python3 x.py"}) {
    EXPECT_EQ(to_text(parse_backend(text)), text);
  }
  EXPECT_EQ(to_text(parse_backend("iree[threads=1,opt=O2]")), "iree[opt=O2,threads=1]");
}

TEST(Spec, RefusesWhatIsNotOne) {
  for (const char* text : {"", "[a=b]", "Iree", "iree[", "iree[]", "iree[opt]", "iree[opt=]", "iree[opt=O2", "iree[opt=O2,]",
                           "iree[opt=O2,opt=O3]", "iree[opt=a b]", "iree x", "iree[opt=O2]x", "mlx:", "worker: ", "mlx:g\tpu"}) {
    SCOPED_TRACE(text);
    EXPECT_REFUSED(Code::Usage, "column", parse_backend(text));
  }
}

TEST(Registry, RefusesUnknownNamesAndOptions) {
  EXPECT_REFUSED(Code::UnknownBackend, "mlx", open_backend(parse_backend("tpu")));
  EXPECT_REFUSED(Code::BackendOption, "no option `speed`", open_backend(parse_backend("iree[speed=9]")));
  EXPECT_REFUSED(Code::BackendOption, "O0, O1, O2, O3", open_backend(parse_backend("iree[opt=O9]")));
  EXPECT_REFUSED(Code::BackendOption, "no device `gpu`", open_backend(parse_backend("native:gpu")));
  EXPECT_REFUSED(Code::BackendOption, "no option `opt`", open_backend(parse_backend("native[opt=O2]")));
  EXPECT_REFUSED(Code::Usage, "command", open_backend(parse_backend("worker")));
  EXPECT_REFUSED(Code::WorkerMissing, "No such file", open_backend(parse_backend("worker:/no/such/program")));
}

TEST(Registry, RefusesAnAbsentWorkerWithTheReason) {
  BackendSettings settings;
  settings.worker_directory = "/nowhere";
  EXPECT_REFUSED(Code::BackendAbsent, "/nowhere", open_backend(parse_backend("mlx"), settings));
  setenv("BITPACT_PYTHON", "/nowhere/python", 1);
  EXPECT_REFUSED(Code::BackendAbsent, "/nowhere/python", open_backend(parse_backend("iree")));
  unsetenv("BITPACT_PYTHON");
}

TEST(Registry, ListsEveryKind) {
  std::vector<std::string> names;
  for (const BackendKind& kind : backend_kinds()) {
    names.push_back(kind.name);
    EXPECT_FALSE(kind.summary.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"native", "mlx", "iree", "xla", "onnxruntime", "numpy", "worker"}));
}

}  // namespace
}  // namespace bitpact
