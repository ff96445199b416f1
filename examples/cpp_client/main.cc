// An op of opwright in a C++ program: y = a * (a * a), and its first and second derivative.
// TF_AddGradients is given dx, since the OnesLike that it would add instead has no C++ gradient.

#include <tensorflow/c/c_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

constexpr int64_t kSize = 3;
TF_Status* const status = TF_NewStatus();

void Check(const char* what) {
  if (TF_GetCode(status) == TF_OK) return;
  std::fprintf(stderr, "%s failed: %s\n", what, TF_Message(status));
  std::exit(1);
}

TF_Output Finish(TF_OperationDescription* op) {
  TF_Operation* done = TF_FinishOperation(op, status);
  Check("Building the graph");
  return {done, 0};
}

TF_Output Constant(TF_Graph* graph, const char* name, const float (&values)[kSize]) {
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, &kSize, 1, sizeof values);
  std::copy_n(values, kSize, static_cast<float*>(TF_TensorData(tensor)));
  TF_OperationDescription* op = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(op, "value", tensor, status);
  TF_SetAttrType(op, "dtype", TF_FLOAT);
  return Finish(op);
}

TF_Output Multiply(TF_Graph* graph, const char* name, TF_Output a, TF_Output b) {
  TF_OperationDescription* op = TF_NewOperation(graph, "Opwright>ElementMul", name);
  for (TF_Output input : {a, b}) TF_AddInput(op, input);
  return Finish(op);
}

int main(int argc, char** argv) {
  TF_LoadLibrary(argc > 1 ? argv[1] : "../../opwright/lib/libopwright_core.so", status);
  Check("Loading the op library");
  TF_Graph* graph = TF_NewGraph();
  TF_Output a = Constant(graph, "a", {1, 2, 3}), ones = Constant(graph, "ones", {1, 1, 1});
  TF_Output y[3] = {Multiply(graph, "y", a, Multiply(graph, "square", a, a))};
  for (int i = 0; i < 2; ++i) {
    TF_AddGradients(graph, &y[i], 1, &a, 1, &ones, status, &y[i + 1]);
    Check("Differentiating");
  }
  TF_Session* session = TF_NewSession(graph, TF_NewSessionOptions(), status);
  Check("Opening a session");
  TF_Tensor* values[3];
  TF_SessionRun(session, nullptr, nullptr, nullptr, 0, y, values, 3, nullptr, 0, nullptr, status);
  Check("The run");
  for (int i = 0; i < 3; ++i) {
    const float* x = static_cast<const float*>(TF_TensorData(values[i]));
    std::printf("%-8s %g %g %g\n", i == 0 ? "y" : i == 1 ? "dy/da" : "d2y/da2", x[0], x[1], x[2]);
  }
}
