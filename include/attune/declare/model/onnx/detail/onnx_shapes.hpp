// attune/declare/model/onnx/detail/onnx_shapes.hpp - operators that join arrays or name shapes.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline void read_concat(onnx_layer& at)
{
    std::size_t const axis = at.axis(at.integer("axis", 1), at.rank(0));
    std::vector<model::tensor> const x = at.tensors();
    if (x.size() == at.input_count()) return at.set(0, model::concat(x, axis));
    quantities shape = at.shape(0);
    for (std::size_t i = 1; i < at.input_count(); ++i) {
        quantities const& part = at.shape(i);
        if (part.size() != shape.size())
            at.refuse("its inputs have " + std::to_string(shape.size()) + " and " +
                          std::to_string(part.size()) + " axes",
                      "export the model again");
        for (std::size_t a = 0; a < shape.size(); ++a) {
            if (a == axis)
                shape[a] += part[a];
            else if (!shape[a].is_same(part[a]))
                at.require(shape[a] == part[a], "its inputs have " + shape[a].name() + " and " +
                                                    part[a].name() + " on axis " +
                                                    std::to_string(a));
        }
    }
    at.set(0, at.finish(model::apply("concat", x, {.shape = shape}), at.constants()));
}

inline void read_flatten(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::int64_t const given = at.integer("axis", 1);
    auto const rank = static_cast<std::int64_t>(x.rank());
    if (given == 1 && rank >= 1) return at.set(0, model::flatten(x));
    std::size_t const axis = given == rank ? x.rank() : at.axis(given, x.rank());
    auto const middle = x.shape().begin() + static_cast<std::ptrdiff_t>(axis);
    at.set(0, model::reshape(x, {product_of({x.shape().begin(), middle}),
                                 product_of({middle, x.shape().end()})}));
}

/// `all` over the product of `others`, each factor taken away where it stands in both.
[[nodiscard]] inline model::quantity remaining_extent(onnx_layer const& at, quantities const& all,
                                                      quantities const& others)
{
    model::quantity const elements = product_of(all);
    model::quantity const known = product_of(others);
    if (known.constant() == 0) at.refuse("its shape has an extent of 0", "export the model again");
    if (auto const exact = exact_quotient(elements, known)) return *exact;
    at.require(elements % known == 0,
               elements.name() + " elements are not a multiple of " + known.name());
    return elements / known;
}

inline void read_reshape(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    quantities shape;
    if (at.has(1)) {
        shape = at.contents(1);
    } else {
        onnx_attribute const* const a = at.find("shape"); // before operator set 5
        shape = quantities_of(a == nullptr ? std::vector<std::int64_t>{} : a->integers);
    }
    if (shape.size() > max_onnx_axes)
        at.refuse("its shape has " + std::to_string(shape.size()) + " axes",
                  "export the model again");
    bool const copies = at.integer("allowzero", 0) == 0;
    std::optional<std::size_t> free;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i].constant() == 0 && copies) {
            if (i >= x.rank())
                at.refuse("its shape copies the axis " + std::to_string(i) + " of an input with " +
                              std::to_string(x.rank()) + " axes",
                          "export the model again");
            shape[i] = x.extent(i);
        } else if (shape[i].constant() == -1) {
            if (free) at.refuse("its shape has -1 twice", "export the model again");
            free = i;
        }
    }
    if (free) {
        quantities others = shape;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(*free));
        shape[*free] = remaining_extent(at, x.shape(), others);
    }
    at.set(0, model::reshape(x, shape));
}

inline void read_transpose(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::vector<std::size_t> axes;
    if (onnx_attribute const* const a = at.find("perm"))
        for (std::int64_t const axis : a->integers)
            axes.push_back(at.axis(axis, x.rank()));
    else
        for (std::size_t i = x.rank(); i-- > 0;)
            axes.push_back(i);
    at.set(0, model::transpose(x, axes));
}

inline void read_squeeze(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    auto const given = at.list("axes", 1);
    std::vector<char> is_left_out(x.rank(), 0);
    for (std::size_t i = 0; !given && i < x.rank(); ++i)
        is_left_out[i] = x.extent(i).constant() == 1;
    for (std::int64_t const axis : given.value_or(std::vector<std::int64_t>{}))
        is_left_out[at.axis(axis, x.rank())] = 1;
    quantities shape;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        if (is_left_out[i] == 0) {
            shape.push_back(x.extent(i));
            if (!given && !x.extent(i).constant()) // 1 is another number of axes
                at.require(x.extent(i) != 1, "it leaves out an axis of " + x.extent(i).name());
        } else if (x.extent(i).constant() != 1)
            at.require(x.extent(i) == 1, "it leaves out an axis of " + x.extent(i).name());
    }
    at.set(0, model::reshape(x, shape));
}

inline void read_unsqueeze(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::vector<std::int64_t> const given =
        at.list("axes", 1).value_or(std::vector<std::int64_t>{});
    std::size_t const rank = x.rank() + given.size();
    if (rank > max_onnx_axes)
        at.refuse("its output has " + std::to_string(rank) + " axes", "export the model again");
    std::vector<char> is_new(rank, 0);
    for (std::int64_t const axis : given)
        if (std::exchange(is_new[at.axis(axis, rank)], 1) != 0)
            at.refuse("it adds an axis twice", "export the model again");
    quantities shape;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(is_new[i] != 0 ? model::quantity(1) : x.extent(next++));
    at.set(0, model::reshape(x, shape));
}

} // namespace attune::inline ATTUNE_ABI::detail
