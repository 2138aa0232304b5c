// onnx_resources - which batches and pictures an ONNX graph has memory for.
// Shows symbolic dimensions and an attribute as parameters, an operator of your own, bounds.
// You need libonnx (target attune::onnx). A file of yours: attune::read_onnx_file("net.onnx", ...).
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/read_onnx.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/explanation.hpp>

#include <cstdint>
#include <cstdio>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>
#include <vector>

namespace model = attune::model;

// What an exporter writes, as text: 3 channels, a convolution, an activation, 10 classes.
static char const* const graph = R"(
    opset_import { version: 13 }
    graph {
        name: "small net"
        input { name: "image" type { tensor_type { elem_type: 1 shape {
            dim { dim_param: "batch" } dim { dim_value: 3 }
            dim { dim_param: "size" } dim { dim_param: "size" } } } } }
        initializer { name: "kernel" data_type: 1 dims: [32, 3, 3, 3] }
        initializer { name: "fc_kernel" data_type: 1 dims: [10, 32] }
        initializer { name: "fc_bias" data_type: 1 dims: 10 }
        node { op_type: "Conv" name: "conv" input: ["image", "kernel"] output: "x"
            attribute { name: "pads" type: INTS ints: [1, 1, 1, 1] } }
        node { op_type: "Swish" domain: "com.example" name: "act" input: "x" output: "y" }
        node { op_type: "GlobalAveragePool" name: "pool" input: "y" output: "z" }
        node { op_type: "Flatten" name: "flat" input: "z" output: "row" }
        node { op_type: "Gemm" name: "fc" input: ["row", "fc_kernel", "fc_bias"] output: "classes"
            attribute { name: "transB" type: INT i: 1 } }
        output { name: "classes" }
    })";

constexpr auto filters = attune::ordinal<"FILTERS">(attune::powers_of_two(16, 128));

int main()
{
    onnx::ModelProto file;
    google::protobuf::TextFormat::ParseFromString(graph, &file);
    auto const swish = [](attune::onnx_call const& n) {
        return std::vector{model::activation(n.inputs[0], "swish", 5)};
    };
    auto const read = attune::read_onnx(
        file.SerializeAsString(), {.sizes = {{"batch", {1, 8, 64}}, {"size", {32, 64, 224, 512}}},
                                   .attributes = {{"conv.filters", filters}},
                                   .operators = {{"com.example.Swish", swish}}});
    std::printf("weights: %s\n", read.net.weights().text().c_str());
    std::printf("rows of the output: %s\n", read.shapes.at("classes")[0].text().c_str());
    auto const all = attune::space(filters);
    attune::chain_of_trees const any(read.space(all));
    attune::chain_of_trees const fits(
        read.space(all, {read.net.memory_bytes() <= 256 << 20, read.net.weights() >= 1000}));
    std::printf("%.0f of %.0f configurations fit\n", static_cast<double>(*fits.size()),
                static_cast<double>(*any.size()));
    attune::point const largest = any.at(static_cast<std::uint64_t>(*any.size()) - 1);
    for (auto const& reason : attune::explain(fits.describe(), largest))
        std::printf("%s\n", reason.because.c_str());
}
// prints:
// weights: 10 + 37 * FILTERS
// rows of the output: batch
// 27 of 48 configurations fit
// memory bytes of small net = 8791280168 <= 268435456 is false
