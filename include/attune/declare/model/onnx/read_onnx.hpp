// attune/declare/model/onnx/read_onnx.hpp - reads ONNX graphs as networks of layers.
// SPDX-License-Identifier: MIT
// Source   ONNX 1.12, docs/Operators.md and docs/IR.md
//
// The target attune::onnx, where libonnx is (Debian: libonnx-dev, libprotobuf-dev). Nothing else
// includes this header; it includes nothing of ONNX.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/model/network.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The size of a symbolic dimension: a number, a parameter, a formula of your own, or values.
/// Values make a parameter with the dimension's name.
class onnx_size {
public:
    template <class T>
        requires std::convertible_to<T const&, model::quantity>
    onnx_size(T const& fixed) // NOLINT: {"sequence", 128}
        : fixed_(model::quantity(fixed))
    {
    }
    onnx_size(std::initializer_list<std::int64_t> values)
        : values_(values)
    {
    }
    explicit onnx_size(std::vector<std::int64_t> values)
        : values_(std::move(values))
    {
    }
    [[nodiscard]] std::optional<model::quantity> const& fixed() const noexcept { return fixed_; }
    [[nodiscard]] std::vector<std::int64_t> const& values() const noexcept { return values_; }

private:
    std::optional<model::quantity> fixed_;
    std::vector<std::int64_t> values_;
};

/// A node of a graph, for an operator of your own.
struct onnx_call {
    std::string name;                     ///< name of the node
    std::string op;                       ///< "Swish"; in another domain "com.example.Swish"
    std::vector<model::tensor> inputs;    ///< inputs that depend on the network's inputs, in order
    std::vector<model::quantity> weights; ///< number of elements of each stored input, in order
    std::map<std::string, std::vector<std::int64_t>> integers; ///< attributes
};

/// @return  the outputs of the node, in order; the reader counts the stored numbers
using onnx_operator = std::function<std::vector<model::tensor>(onnx_call const&)>;

struct onnx_options {
    /// Sizes by the name of a dimension in the file: {{"batch", {1, 2, 4, 8}}, {"sequence", 128}}.
    /// A dimension without a name is "x[0]": input x, axis 0.
    std::map<std::string, onnx_size> sizes = {};
    /// Replaces an attribute with whole numbers of a node, on all axes: {{"conv1.kernel_shape",
    /// kernel}}. Two names replace extents of weights: "conv1.filters" (Conv, ConvTranspose) and
    /// "fc.units" (Gemm, MatMul with a stored second factor). With any entry, weights and
    /// separately added biases take the extents of their inputs, as in a newly trained network.
    /// Without entries, the weights of the file refuse each configuration with other extents.
    std::map<std::string, model::quantity> attributes = {};
    /// Operators that this reader does not have, or that you read in another way:
    /// {{"Swish", [](auto const& n) { return std::vector{model::activation(n.inputs[0], "swish",
    /// 5)}; }}}
    std::map<std::string, onnx_operator> operators = {};
    /// Bytes of a number. Without a value: bytes of the type that most stored numbers have.
    std::optional<model::quantity> element_bytes = {};
};

/// An ONNX graph as a network.
struct onnx_network {
    model::network net;
    std::vector<parameter_description> parameters; ///< of sizes with values, by name
    std::map<std::string, model::tensor> tensors;  ///< tensors that depend on inputs, by name
    std::map<std::string, std::vector<model::quantity>> shapes; ///< shapes of all arrays, by name

    /// The valid configurations: network::space() over `parameters`.
    [[nodiscard]] description space(std::vector<model::quantity> const& limits = {}) const
    {
        return with_parameters({}, limits);
    }
    /// The valid configurations over parameters of your own, followed by `parameters`.
    template <class Pack>
    [[nodiscard]] description space(Pack const& typed,
                                    std::vector<model::quantity> const& limits = {}) const
    {
        return with_parameters(lower(typed), limits);
    }
    [[nodiscard]] description with_parameters(description own,
                                              std::vector<model::quantity> const& limits) const;
};

/// Makes layers of the nodes of an ONNX graph, with the costs of inference.
///
/// A node that depends on no input makes no layer. Shapes computed from shapes are formulas. The
/// first layer that reads a stored array counts it. Arrays of floating-point numbers are weights.
/// Statistics are: running means and variances, integers, numbers without an axis, constants in
/// nodes.
/// Operations per element: 1 for +, comparison, root and the like, 2 for Clip, 4 for Sigmoid, Tanh,
/// Erf and Softmax, 8 for Gelu and norms; other operators as the layers of model/ count. Copies and
/// changes of type cost none. All numbers have element_bytes bytes, except activations with smaller
/// types: inputs, truths and results of Cast.
///
/// @param bytes   content of the file
/// @param source  name of the file, for errors
/// Errors   attune::error, which names the node: no ONNX file, or a part of one; an unknown
///          operator or a subgraph; a size without a value; a name in `options` that the graph does
///          not have; a graph out of order or with a cycle; shapes that do not fit
[[nodiscard]] onnx_network read_onnx(std::string_view bytes, onnx_options const& options = {},
                                     std::string const& source = "");

/// Reads the file at `path`, as read_onnx(). Does not open separate files of weights.
/// Errors   attune::error: the file cannot be read or has 2 GiB or more; those of read_onnx()
[[nodiscard]] onnx_network read_onnx_file(std::string const& path,
                                          onnx_options const& options = {});

namespace detail {

struct onnx_graph; // detail/onnx_file.hpp

/// The network of a parsed file, with numbers for all sizes.
/// @param layers_after  receives the numbers of layers after each node
[[nodiscard]] onnx_network network_of(onnx_graph const& file, std::string const& source,
                                      std::vector<std::size_t>& layers_after);

/// Errors   as read_onnx_file()
[[nodiscard]] std::string bytes_of_onnx_file(std::string const& path);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<onnx/onnx_pb.h>)
#include <attune/declare/model/onnx/read_onnx.ipp>
#endif
