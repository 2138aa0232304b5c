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

/// What a symbolic dimension is: a number, a parameter or a formula of your own, or values, which
/// make a parameter of the dimension's name.
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

/// One node of a graph, for an operator of your own.
struct onnx_call {
    std::string name;                     ///< of the node
    std::string op;                       ///< "Swish"; "com.example.Swish" of another domain
    std::vector<model::tensor> inputs;    ///< those that depend on the network's inputs, in order
    std::vector<model::quantity> weights; ///< elements of each stored input, in order
    std::map<std::string, std::vector<std::int64_t>> integers; ///< attributes
};

/// @return  the outputs of the node, in order; what it stores is counted by the reader
using onnx_operator = std::function<std::vector<model::tensor>(onnx_call const&)>;

struct onnx_options {
    /// By the name that the file gives to a dimension: {{"batch", {1, 2, 4, 8}}, {"sequence",
    /// 128}}. A dimension without one is "x[0]": input x, axis 0.
    std::map<std::string, onnx_size> sizes = {};
    /// In place of an attribute of a node that has whole numbers, for all axes alike:
    /// {{"conv1.kernel_shape", kernel}}. "conv1.filters", of Conv and ConvTranspose, and
    /// "fc.units", of Gemm and MatMul with a stored second factor, stand for what the weights'
    /// shape says. Where one is given, weights take the extents that their inputs have, as if the
    /// network was trained anew, and so does a bias that a node of its own adds. Without,
    /// configurations that the weights do not fit are not valid.
    std::map<std::string, model::quantity> attributes = {};
    /// Operators that this reader does not know, or that you read in another way:
    /// {{"Swish", [](auto const& n) { return std::vector{model::activation(n.inputs[0], "swish",
    /// 5)}; }}}
    std::map<std::string, onnx_operator> operators = {};
    /// Bytes of a number; if not given, of the type that most stored numbers have.
    std::optional<model::quantity> element_bytes = {};
};

/// A graph that was read.
struct onnx_network {
    model::network net;
    std::vector<parameter_description> parameters; ///< of the sizes that have values, by name
    std::map<std::string, model::tensor> tensors;  ///< what depends on inputs, by its name
    std::map<std::string, std::vector<model::quantity>> shapes; ///< of all arrays, by name

    /// The valid configurations: network::space() over `parameters`.
    [[nodiscard]] description space(std::vector<model::quantity> const& limits = {}) const
    {
        return with_parameters({}, limits);
    }
    /// The same over parameters of your own, and `parameters` behind them.
    template <class Pack>
    [[nodiscard]] description space(Pack const& typed,
                                    std::vector<model::quantity> const& limits = {}) const
    {
        return with_parameters(lower(typed), limits);
    }
    [[nodiscard]] description with_parameters(description own,
                                              std::vector<model::quantity> const& limits) const;
};

/// Makes layers of the nodes of an ONNX graph, as inference runs it.
///
/// What depends on no input is no layer. Shapes that are computed from shapes are formulas. A
/// stored array is counted once, by the first layer that reads it: of floating-point numbers it is
/// weights; running means and variances, integers, numbers without an axis and constants in nodes
/// are statistics.
/// Operations per element: 1 of +, comparison, root and the like, 2 of Clip, 4 of Sigmoid, Tanh,
/// Erf and Softmax, 8 of Gelu and norms; else as the layers of model/ count. Copies and changes of
/// type have none. All numbers have element_bytes bytes; of activations, inputs, truths and results
/// of Cast with fewer bytes than these take theirs.
///
/// @param bytes   of the file
/// @param source  name of the file, for errors
/// Errors   attune::error, which names the node: no ONNX file, or a part of one; an unknown operator
///          or a subgraph; a size that is not given; a name in `options` that the graph does not
///          have; a graph out of order or with a cycle; shapes that do not fit
[[nodiscard]] onnx_network read_onnx(std::string_view bytes, onnx_options const& options = {},
                                     std::string const& source = "");

/// Reads the file at `path`, as above. Weights in files of their own are not opened.
/// Errors   attune::error when it cannot be read or has 2 GiB or more; those above
[[nodiscard]] onnx_network read_onnx_file(std::string const& path,
                                          onnx_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<onnx/onnx_pb.h>)
#include <attune/declare/model/onnx/read_onnx.ipp>
#endif
