// attune/declare/model/onnx/detail/onnx_file.hpp - an ONNX file as plain data; parsed by protobuf.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef ONNX_ML
#define ONNX_ML 1 // as Debian builds it
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#include <onnx/onnx_pb.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The parser drops the contents of longer arrays, because they are weights, not shapes.
inline constexpr std::size_t max_onnx_contents = 4096;
/// More axes than any operator has.
inline constexpr std::size_t max_onnx_axes = 32;

/// A stored array.
struct onnx_array {
    std::vector<std::int64_t> extents;
    std::int64_t bytes = 4;                            ///< of an element
    bool is_floating = false;                          ///< else integers, truths or texts
    std::optional<std::vector<std::int64_t>> contents; ///< of short arrays of whole numbers
    std::optional<std::vector<float>> numbers; ///< of arrays of float, if the parser keeps them
};

struct onnx_attribute {
    std::optional<std::int64_t> integer;
    std::vector<std::int64_t> integers;
    std::optional<double> real;
    std::vector<double> reals;
    std::string text;
    std::optional<onnx_array> array;
};

struct onnx_node {
    std::string name;
    std::string op; ///< "Conv"; with its domain if that is not the domain of ONNX
    std::vector<std::string> inputs;
    std::vector<std::string> outputs; ///< an empty name: the graph does not need this output
    std::map<std::string, onnx_attribute> attributes;
};

struct onnx_axis {
    std::optional<std::int64_t> extent;
    std::string symbol;
};

struct onnx_input {
    std::string name;
    bool is_floating = false;
    std::int64_t bytes = 4;
    std::optional<std::vector<onnx_axis>> shape;
};

struct onnx_graph {
    std::string name;
    std::int64_t opset = 1;
    std::vector<onnx_input> inputs; ///< without initializers
    std::vector<std::pair<std::string, onnx_array>> stored;
    std::vector<onnx_node> nodes;
    std::vector<std::string> outputs;
};

/// Protobuf's messages have less than 2 GiB.
inline void require_onnx_size(std::uint64_t bytes, std::string const& source)
{
    if (bytes > 0x7fffffffU)
        throw error("an ONNX file has 2 GiB or more", source, "store its weights in other files");
}

class onnx_parser {
public:
    /// @param keeps_numbers  keeps the elements of all arrays of float in the file
    explicit onnx_parser(std::string source, bool keeps_numbers = false)
        : source_(std::move(source))
        , keeps_numbers_(keeps_numbers)
    {
    }

    [[nodiscard]] onnx_graph parse(std::string_view bytes) const
    {
        require_onnx_size(bytes.size(), source_);
        onnx::ModelProto model;
        bool const is_read =
            model.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
        if (!is_read || !model.has_graph())
            throw error(is_read ? "a file has no ONNX graph"
                                : "a file is not ONNX, or a part of it",
                        source_, "export the model again");
        onnx::GraphProto const& graph = model.graph();
        onnx_graph out;
        out.name = graph.name().empty() ? "onnx graph" : graph.name();
        for (auto const& set : model.opset_import())
            if (is_of_onnx(set.domain())) out.opset = set.version();
        for (onnx::TensorProto const& t : graph.initializer())
            out.stored.emplace_back(t.name(), array_of(t, "initializer " + t.name()));
        for (onnx::SparseTensorProto const& t : graph.sparse_initializer())
            out.stored.emplace_back(t.values().name(), sparse_array_of(t));
        std::set<std::string_view> stored; // old files list these among the inputs, too
        for (auto const& [name, array] : out.stored)
            stored.insert(name);
        for (onnx::ValueInfoProto const& in : graph.input())
            if (!stored.contains(in.name())) out.inputs.push_back(input_of(in));
        for (onnx::NodeProto const& n : graph.node())
            out.nodes.push_back(node_of(n));
        for (onnx::ValueInfoProto const& o : graph.output())
            out.outputs.push_back(o.name());
        return out;
    }

    /// Bytes of an element of a type of TensorProto.
    [[nodiscard]] static std::int64_t bytes_of(std::int32_t type)
    {
        using T = onnx::TensorProto;
        switch (type) {
        case T::DOUBLE:
        case T::INT64:
        case T::UINT64:
            return 8;
        case T::FLOAT16:
        case T::BFLOAT16:
        case T::INT16:
        case T::UINT16:
            return 2;
        case T::BOOL:
        case T::INT8:
        case T::UINT8:
            return 1;
        default:
            return 4;
        }
    }

private:
    [[nodiscard]] static bool is_of_onnx(std::string const& domain)
    {
        return domain.empty() || domain == "ai.onnx";
    }
    [[noreturn]] void refuse(std::string const& what, std::string const& where) const
    {
        throw error(what, source_.empty() ? where : source_ + ", " + where,
                    "export the model again");
    }

    template <class Extents>
    [[nodiscard]] std::vector<std::int64_t> extents_of(Extents const& dims,
                                                       std::string const& where) const
    {
        if (static_cast<std::size_t>(dims.size()) > max_onnx_axes)
            refuse("an array has " + std::to_string(dims.size()) + " axes", where);
        std::vector<std::int64_t> out;
        for (std::int64_t const extent : dims) {
            if (extent < 0) refuse("an array has the extent " + std::to_string(extent), where);
            out.push_back(extent);
        }
        return out;
    }

    [[nodiscard]] onnx_array sparse_array_of(onnx::SparseTensorProto const& t) const
    {
        std::string const where = "initializer " + t.values().name();
        onnx_array out = array_of(t.values(), where); // the stored part: the values
        out.extents = extents_of(t.dims(), where);
        out.contents.reset();
        out.numbers.reset(); // those of the values alone
        return out;
    }

    [[nodiscard]] onnx_array array_of(onnx::TensorProto const& t, std::string const& where) const
    {
        onnx_array out;
        out.extents = extents_of(t.dims(), where);
        out.bytes = bytes_of(t.data_type());
        out.is_floating = is_floating(t.data_type());
        if (keeps_numbers_) out.numbers = numbers_of(t, out.extents);
        std::size_t count = 1;
        for (std::int64_t const extent : out.extents) {
            if (extent == 0) count = 0;
            if (count != 0 && static_cast<std::uint64_t>(extent) > max_onnx_contents / count)
                return out; // too long for a shape, also if a later extent is 0
            count *= static_cast<std::size_t>(extent);
        }
        out.contents = contents_of(t, count);
        return out;
    }

    [[nodiscard]] static bool is_floating(std::int32_t type)
    {
        using T = onnx::TensorProto;
        return type == T::FLOAT || type == T::FLOAT16 || type == T::BFLOAT16 || type == T::DOUBLE;
    }

    /// The elements, if the file stores all of them and all are whole numbers.
    [[nodiscard]] static std::optional<std::vector<std::int64_t>>
    contents_of(onnx::TensorProto const& t, std::size_t count)
    {
        using T = onnx::TensorProto;
        if (t.data_location() == T::EXTERNAL) return {};
        std::vector<std::int64_t> out;
        if (count == 0) return out;
        bool is_whole = true;
        auto const add = [&](auto value) {
            if constexpr (std::is_floating_point_v<decltype(value)>) {
                is_whole = is_whole && value == std::floor(value) &&
                           std::fabs(static_cast<double>(value)) < 0x1p53;
                out.push_back(is_whole ? static_cast<std::int64_t>(value) : 0);
            } else {
                out.push_back(static_cast<std::int64_t>(value));
            }
        };
        std::int32_t const type = t.data_type();
        if (t.has_raw_data()) {
            if (type == T::INT64)
                each_raw<std::int64_t>(t.raw_data(), add);
            else if (type == T::INT32)
                each_raw<std::int32_t>(t.raw_data(), add);
            else if (type == T::FLOAT)
                each_raw<float>(t.raw_data(), add);
            else if (type == T::DOUBLE)
                each_raw<double>(t.raw_data(), add);
            else if (type == T::BOOL)
                each_raw<std::uint8_t>(t.raw_data(), add);
        } else if (type == T::INT64) {
            each(t.int64_data(), add);
        } else if (type == T::INT32 || type == T::BOOL) {
            each(t.int32_data(), add);
        } else if (type == T::FLOAT) {
            each(t.float_data(), add);
        } else if (type == T::DOUBLE) {
            each(t.double_data(), add);
        }
        if (!is_whole || out.size() != count) return {};
        return out;
    }
    /// The elements, if the file stores all of them and the type is float.
    [[nodiscard]] static std::optional<std::vector<float>>
    numbers_of(onnx::TensorProto const& t, std::vector<std::int64_t> const& extents)
    {
        using T = onnx::TensorProto;
        if (t.data_type() != T::FLOAT || t.data_location() == T::EXTERNAL) return {};
        std::vector<float> out(t.float_data().begin(), t.float_data().end());
        if (t.has_raw_data()) {
            out.resize(t.raw_data().size() / sizeof(float));
            std::memcpy(out.data(), t.raw_data().data(), out.size() * sizeof(float));
        }
        std::size_t count = 1;
        for (std::int64_t const extent : extents) {
            if (extent > 0 && count > out.size() / static_cast<std::size_t>(extent)) return {};
            count *= static_cast<std::size_t>(extent);
        }
        if (out.size() != count) return {};
        return out;
    }
    template <class List, class Add>
    static void each(List const& list, Add const& add)
    {
        if (static_cast<std::size_t>(list.size()) <= max_onnx_contents)
            for (auto const value : list)
                add(value);
    }
    template <class T, class Add>
    static void each_raw(std::string const& raw, Add const& add)
    {
        static_assert(std::endian::native == std::endian::little, "raw data is little-endian");
        if (raw.size() % sizeof(T) != 0 || raw.size() / sizeof(T) > max_onnx_contents) return;
        for (std::size_t i = 0; i < raw.size(); i += sizeof(T)) {
            T value{};
            std::memcpy(&value, raw.data() + i, sizeof(T));
            add(value);
        }
    }

    [[nodiscard]] onnx_input input_of(onnx::ValueInfoProto const& in) const
    {
        onnx_input out;
        out.name = in.name();
        onnx::TypeProto_Tensor const& type = in.type().tensor_type();
        if (!in.type().has_tensor_type()) refuse("an input is no tensor", "input " + in.name());
        out.is_floating = is_floating(type.elem_type());
        out.bytes = bytes_of(type.elem_type());
        if (!type.has_shape()) return out;
        if (static_cast<std::size_t>(type.shape().dim_size()) > max_onnx_axes)
            refuse("an input has " + std::to_string(type.shape().dim_size()) + " axes",
                   "input " + in.name());
        out.shape.emplace();
        for (auto const& dim : type.shape().dim()) {
            onnx_axis axis;
            if (dim.has_dim_value())
                axis.extent = dim.dim_value();
            else
                axis.symbol = dim.dim_param();
            // Exporters write 0 or -1 for an axis without a name.
            if (axis.extent && *axis.extent < -1)
                refuse("an input has the extent " + std::to_string(*axis.extent),
                       "input " + in.name());
            if (axis.extent && *axis.extent <= 0) axis.extent.reset();
            out.shape->push_back(std::move(axis));
        }
        return out;
    }

    [[nodiscard]] onnx_node node_of(onnx::NodeProto const& n) const
    {
        onnx_node out;
        out.op = is_of_onnx(n.domain()) ? n.op_type() : n.domain() + '.' + n.op_type();
        out.inputs.assign(n.input().begin(), n.input().end());
        out.outputs.assign(n.output().begin(), n.output().end());
        out.name = n.name().empty() && !out.outputs.empty() ? out.outputs.front() : n.name();
        for (onnx::AttributeProto const& a : n.attribute()) {
            onnx_attribute made;
            if (a.has_i()) made.integer = a.i();
            if (a.has_f()) made.real = static_cast<double>(a.f());
            made.integers.assign(a.ints().begin(), a.ints().end());
            made.reals.assign(a.floats().begin(), a.floats().end());
            made.text = a.s();
            if (a.has_t())
                made.array = array_of(a.t(), "attribute " + a.name() + " of node " + out.name);
            out.attributes.emplace(a.name(), std::move(made));
        }
        return out;
    }

    std::string source_;
    bool keeps_numbers_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
