// tests/support/nest_examples.hpp - tensor programs for tests: products, convolutions, softmax.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace support {

using attune::affine_index;
using attune::element_type;
using attune::nest_op;

/// Builds a description with few words.
class nest_builder {
public:
    explicit nest_builder(std::string name) { out.name = std::move(name); }

    std::uint32_t axis(std::string name, std::int64_t extent)
    {
        out.axes.push_back({std::move(name), {extent, attune::no_index}});
        return static_cast<std::uint32_t>(out.axes.size() - 1);
    }
    /// An input, and an axis of that extent.
    std::uint32_t input_axis(std::string name, std::string input)
    {
        out.inputs.push_back({std::move(input), element_type::i64});
        auto const i = static_cast<std::uint32_t>(out.inputs.size() - 1);
        out.axes.push_back({std::move(name), {0, i}});
        return static_cast<std::uint32_t>(out.axes.size() - 1);
    }
    std::uint32_t array(std::string name, attune::nest_role role,
                        std::vector<attune::nest_extent> extents,
                        element_type type = element_type::f32)
    {
        out.arrays.push_back({std::move(name), type, role, std::move(extents), false});
        return static_cast<std::uint32_t>(out.arrays.size() - 1);
    }
    attune::nest_extent of(std::uint32_t axis) const { return out.axes[axis].extent; }

    static affine_index at(std::uint32_t axis) { return {{{axis, 1}}, 0}; }
    static affine_index sum(std::uint32_t a, std::int64_t fa, std::uint32_t b, std::int64_t fb,
                            std::int64_t offset)
    {
        affine_index index{{{a, fa}, {b, fb}}, offset};
        std::sort(index.terms.begin(), index.terms.end(),
                  [](auto const& x, auto const& y) { return x.axis < y.axis; });
        return index;
    }
    std::uint32_t read(std::uint32_t array, std::vector<affine_index> index, bool is_padded = false,
                       element_type type = element_type::f32)
    {
        attune::nest_access const access{array, std::move(index), is_padded};
        auto found = std::find(out.accesses.begin(), out.accesses.end(), access);
        auto const a = static_cast<std::uint32_t>(found - out.accesses.begin());
        if (found == out.accesses.end()) out.accesses.push_back(access);
        return node({.code = nest_op::access, .type = type, .access = a});
    }
    std::uint32_t node(attune::nest_node n)
    {
        out.nodes.push_back(n);
        return static_cast<std::uint32_t>(out.nodes.size() - 1);
    }
    std::uint32_t number(double value, element_type type = element_type::f32)
    {
        return node({.code = nest_op::literal, .type = type, .literal = value});
    }
    std::uint32_t op(nest_op code, std::uint32_t a, std::uint32_t b = attune::no_index,
                     element_type type = element_type::f32)
    {
        return node({.code = code, .type = type, .first = a, .second = b});
    }
    void statement(std::uint32_t array, std::vector<std::uint32_t> spatial,
                   std::vector<std::uint32_t> reduced, attune::reduction combine,
                   std::uint32_t value, bool continues = false,
                   element_type accumulator = element_type::f32)
    {
        attune::nest_statement s;
        s.target.array = array;
        for (std::uint32_t const a : spatial)
            s.target.at.push_back(at(a));
        s.spatial_count = static_cast<std::uint32_t>(spatial.size());
        s.axes = spatial;
        s.axes.insert(s.axes.end(), reduced.begin(), reduced.end());
        s.combine = combine;
        s.continues = continues;
        s.accumulator = accumulator;
        s.value = value;
        out.statements.push_back(s);
    }

    attune::nest_description out;
};

/// C[i][j] = (+=) sum_k A[i][k] * B[k][j]
inline attune::nest_description matmul(std::int64_t m, std::int64_t n, std::int64_t k,
                                       bool continues = false)
{
    nest_builder b("matmul");
    auto const i = b.axis("i", m), j = b.axis("j", n), r = b.axis("k", k);
    auto const A = b.array("A", attune::nest_role::read, {b.of(i), b.of(r)});
    auto const B = b.array("B", attune::nest_role::read, {b.of(r), b.of(j)});
    auto const C = b.array("C", continues ? attune::nest_role::updated : attune::nest_role::written,
                           {b.of(i), b.of(j)});
    auto const x = b.read(A, {b.at(i), b.at(r)});
    auto const y = b.read(B, {b.at(r), b.at(j)});
    b.statement(C, {i, j}, {r}, attune::reduction::sum, b.op(nest_op::multiply, x, y), continues);
    return b.out;
}

/// The same, extents as inputs.
inline attune::nest_description matmul_of_inputs()
{
    nest_builder b("matmul");
    auto const i = b.input_axis("i", "M"), j = b.input_axis("j", "N"), r = b.input_axis("k", "K");
    auto const A = b.array("A", attune::nest_role::read, {b.of(i), b.of(r)});
    auto const B = b.array("B", attune::nest_role::read, {b.of(r), b.of(j)});
    auto const C = b.array("C", attune::nest_role::written, {b.of(i), b.of(j)});
    auto const x = b.read(A, {b.at(i), b.at(r)});
    auto const y = b.read(B, {b.at(r), b.at(j)});
    b.statement(C, {i, j}, {r}, attune::reduction::sum, b.op(nest_op::multiply, x, y));
    return b.out;
}

/// int8 times int8, summed in int32; batched.
inline attune::nest_description batched_int8(std::int64_t batch, std::int64_t m, std::int64_t n,
                                             std::int64_t k)
{
    using enum element_type;
    nest_builder b("batched");
    auto const l = b.axis("b", batch), i = b.axis("i", m), j = b.axis("j", n), r = b.axis("k", k);
    auto const A = b.array("A", attune::nest_role::read, {b.of(l), b.of(i), b.of(r)}, i8);
    auto const B = b.array("B", attune::nest_role::read, {b.of(l), b.of(r), b.of(j)}, i8);
    auto const C = b.array("C", attune::nest_role::written, {b.of(l), b.of(i), b.of(j)}, i32);
    auto const x = b.read(A, {b.at(l), b.at(i), b.at(r)}, false, i32);
    auto const y = b.read(B, {b.at(l), b.at(r), b.at(j)}, false, i32);
    b.statement(C, {l, i, j}, {r}, attune::reduction::sum, b.op(nest_op::multiply, x, y, i32),
                false, i32);
    return b.out;
}

/// Y[h][w][o] = sum X[h s + kh - p][w s + kw - p][c] * W[kh][kw][c][o]
inline attune::nest_description convolution(std::int64_t size, std::int64_t channels,
                                            std::int64_t filters, std::int64_t window,
                                            std::int64_t stride, std::int64_t pad)
{
    nest_builder b("conv");
    std::int64_t const to = (size + 2 * pad - window) / stride + 1;
    auto const h = b.axis("h", to), w = b.axis("w", to), o = b.axis("o", filters);
    auto const kh = b.axis("kh", window), kw = b.axis("kw", window), c = b.axis("c", channels);
    auto const X = b.array("X", attune::nest_role::read,
                           {{size, attune::no_index}, {size, attune::no_index}, b.of(c)});
    auto const W = b.array("W", attune::nest_role::read, {b.of(kh), b.of(kw), b.of(c), b.of(o)});
    auto const Y = b.array("Y", attune::nest_role::written, {b.of(h), b.of(w), b.of(o)});
    auto const x =
        b.read(X, {b.sum(h, stride, kh, 1, -pad), b.sum(w, stride, kw, 1, -pad), b.at(c)}, pad > 0);
    auto const y = b.read(W, {b.at(kh), b.at(kw), b.at(c), b.at(o)});
    b.statement(Y, {h, w, o}, {kh, kw, c}, attune::reduction::sum, b.op(nest_op::multiply, x, y));
    return b.out;
}

/// C[i][j] = sum_k A[i][k] * B[j][k], or of A[k][i] with B[k][j] where `is_by_depth`.
inline attune::nest_description matmul_of_lines(std::int64_t m, std::int64_t n, std::int64_t k,
                                                bool is_by_depth)
{
    nest_builder b("matmul");
    auto const i = b.axis("i", m), j = b.axis("j", n), r = b.axis("k", k);
    auto const order = [&](std::uint32_t axis) {
        return is_by_depth ? std::vector{r, axis} : std::vector{axis, r};
    };
    auto const operand = [&](char const* name, std::uint32_t axis) {
        std::vector<std::uint32_t> const axes = order(axis);
        auto const of = b.array(name, attune::nest_role::read, {b.of(axes[0]), b.of(axes[1])});
        return b.read(of, {b.at(axes[0]), b.at(axes[1])});
    };
    auto const x = operand("A", i);
    auto const y = operand("B", j);
    auto const C = b.array("C", attune::nest_role::written, {b.of(i), b.of(j)});
    b.statement(C, {i, j}, {r}, attune::reduction::sum, b.op(nest_op::multiply, x, y));
    return b.out;
}

/// The program with elements of another type in its arrays of float: arguments that are read, and
/// the others.
inline attune::nest_description with_elements(attune::nest_description nest, element_type read,
                                              element_type written)
{
    for (attune::nest_array& array : nest.arrays)
        if (array.element == element_type::f32)
            array.element = array.role == attune::nest_role::read ? read : written;
    return nest;
}

/// Y[h][w][c] = sum X[h + kh - 1][w + kw - 1][c] * W[kh][kw][c]
inline attune::nest_description depthwise(std::int64_t size, std::int64_t channels)
{
    nest_builder b("depthwise");
    auto const h = b.axis("h", size), w = b.axis("w", size), c = b.axis("c", channels);
    auto const kh = b.axis("kh", 3), kw = b.axis("kw", 3);
    auto const X = b.array("X", attune::nest_role::read, {b.of(h), b.of(w), b.of(c)});
    auto const W = b.array("W", attune::nest_role::read, {b.of(kh), b.of(kw), b.of(c)});
    auto const Y = b.array("Y", attune::nest_role::written, {b.of(h), b.of(w), b.of(c)});
    auto const x = b.read(X, {b.sum(h, 1, kh, 1, -1), b.sum(w, 1, kw, 1, -1), b.at(c)}, true);
    auto const y = b.read(W, {b.at(kh), b.at(kw), b.at(c)});
    b.statement(Y, {h, w, c}, {kh, kw}, attune::reduction::sum, b.op(nest_op::multiply, x, y));
    return b.out;
}

/// C = A B; Y[i][j] = tanh-gelu(C[i][j] + bias[j])
inline attune::nest_description dense_gelu(std::int64_t m, std::int64_t n, std::int64_t k)
{
    attune::nest_description plain = matmul(m, n, k);
    nest_builder b("dense_gelu");
    b.out = plain;
    b.out.name = "dense_gelu";
    b.out.arrays[2].role = attune::nest_role::temporary;
    auto const bias = b.array("bias", attune::nest_role::read, {b.of(1)});
    auto const Y = b.array("Y", attune::nest_role::written, {b.of(0), b.of(1)});
    auto const c = b.read(2, {b.at(0), b.at(1)});
    auto const x = b.op(nest_op::add, c, b.read(bias, {b.at(1)}));
    auto const cube = b.op(nest_op::multiply, x, b.op(nest_op::multiply, x, x));
    auto const inner = b.op(nest_op::add, x, b.op(nest_op::multiply, b.number(0.044715), cube));
    auto const t =
        b.op(nest_op::hyperbolic_tangent, b.op(nest_op::multiply, b.number(0.7978845608), inner));
    auto const half = b.op(nest_op::multiply, b.number(0.5), x);
    b.statement(Y, {0, 1}, {}, attune::reduction::none,
                b.op(nest_op::multiply, half, b.op(nest_op::add, b.number(1), t)));
    return b.out;
}

/// Y = max(C + bias, 0) for the result C of a nest of one statement; bias along its last axis.
inline attune::nest_description with_bias_and_relu(attune::nest_description of)
{
    nest_builder b(of.name + "_relu");
    std::string const name = b.out.name;
    b.out = std::move(of);
    b.out.name = name;
    attune::nest_statement const sum = b.out.statements.front();
    b.out.arrays[sum.target.array].role = attune::nest_role::temporary;
    std::vector<std::uint32_t> const axes(sum.axes.begin(), sum.axes.begin() + sum.spatial_count);
    auto const bias = b.array("bias", attune::nest_role::read, {b.of(axes.back())});
    auto const Y =
        b.array("relu", attune::nest_role::written, b.out.arrays[sum.target.array].extents);
    auto const moved = b.op(nest_op::add, b.read(sum.target.array, sum.target.at),
                            b.read(bias, {b.at(axes.back())}));
    b.statement(Y, axes, {}, attune::reduction::none, b.op(nest_op::maximum, moved, b.number(0)));
    return b.out;
}

/// Y[i][j] = exp(X[i][j] - max_j X[i]) / sum_j exp(...)
inline attune::nest_description softmax(std::int64_t rows, std::int64_t columns)
{
    using attune::nest_role;
    nest_builder b("softmax");
    auto const i = b.axis("i", rows), j = b.axis("j", columns);
    auto const X = b.array("X", nest_role::read, {b.of(i), b.of(j)});
    auto const top = b.array("top", nest_role::temporary, {b.of(i)});
    auto const e = b.array("e", nest_role::temporary, {b.of(i), b.of(j)});
    auto const total = b.array("total", nest_role::temporary, {b.of(i)});
    auto const Y = b.array("Y", nest_role::written, {b.of(i), b.of(j)});
    auto const x = b.read(X, {b.at(i), b.at(j)});
    b.statement(top, {i}, {j}, attune::reduction::maximum, x);
    auto const less = b.op(nest_op::subtract, x, b.read(top, {b.at(i)}));
    b.statement(e, {i, j}, {}, attune::reduction::none, b.op(nest_op::exponential, less));
    auto const part = b.read(e, {b.at(i), b.at(j)});
    b.statement(total, {i}, {j}, attune::reduction::sum, part);
    b.statement(Y, {i, j}, {}, attune::reduction::none,
                b.op(nest_op::divide, part, b.read(total, {b.at(i)})));
    return b.out;
}

/// R[i] = sum_j X[i][j]; S[q] = sum_p X[p][q]: no axis of one is an axis of the other.
inline attune::nest_description sums_of_both(std::int64_t rows, std::int64_t columns)
{
    using attune::nest_role;
    nest_builder b("sums");
    auto const i = b.axis("i", rows), j = b.axis("j", columns);
    auto const X = b.array("X", nest_role::read, {b.of(i), b.of(j)});
    auto const R = b.array("R", nest_role::written, {b.of(i)});
    auto const S = b.array("S", nest_role::updated, {b.of(j)});
    auto const x = b.read(X, {b.at(i), b.at(j)});
    b.statement(R, {i}, {j}, attune::reduction::sum, x);
    b.statement(S, {j}, {i}, attune::reduction::sum, x, true);
    return b.out;
}

/// total = sum X; Y[i][j] = X[i][j] / total; most = max X: every block needs all of X.
inline attune::nest_description shares(std::int64_t rows, std::int64_t columns)
{
    using attune::nest_role;
    nest_builder b("shares");
    auto const i = b.axis("i", rows), j = b.axis("j", columns);
    auto const X = b.array("X", nest_role::read, {b.of(i), b.of(j)});
    auto const total = b.array("total", nest_role::temporary, {});
    auto const Y = b.array("Y", nest_role::written, {b.of(i), b.of(j)});
    auto const most = b.array("most", nest_role::written, {});
    auto const x = b.read(X, {b.at(i), b.at(j)});
    auto const size = b.op(nest_op::absolute, x);
    b.statement(total, {}, {i, j}, attune::reduction::sum, size);
    auto const above = b.op(nest_op::add, b.read(total, {}), b.number(1));
    b.statement(Y, {i, j}, {}, attune::reduction::none, b.op(nest_op::divide, x, above));
    b.statement(most, {}, {i, j}, attune::reduction::maximum, x);
    return b.out;
}

/// The same with arrays and axes that have these names, in order of declaration.
inline attune::nest_description with_names(attune::nest_description of,
                                           std::initializer_list<char const*> arrays,
                                           std::initializer_list<char const*> axes = {})
{
    auto rename = [](auto& all, std::initializer_list<char const*> names) {
        auto one = all.begin();
        for (char const* const name : names)
            (one++)->name = name;
    };
    rename(of.arrays, arrays);
    rename(of.axes, axes);
    return of;
}

/// at[i] = the first j with the largest X[i][j]
inline attune::nest_description argmax(std::int64_t rows, std::int64_t columns)
{
    nest_builder b("argmax");
    auto const i = b.axis("i", rows), j = b.axis("j", columns);
    auto const X = b.array("X", attune::nest_role::read, {b.of(i), b.of(j)});
    auto const to = b.array("to", attune::nest_role::written, {b.of(i)}, element_type::i32);
    b.statement(to, {i}, {j}, attune::reduction::argument_of_maximum,
                b.read(X, {b.at(i), b.at(j)}));
    return b.out;
}

/// Scores, softmax and the sum of values: S = Q K^T, m = max S, E = exp(S - m), s = sum E, O = E V
/// / s
inline attune::nest_description attention(std::int64_t heads, std::int64_t tokens,
                                          std::int64_t size)
{
    using enum attune::nest_role;
    nest_builder b("attention");
    auto const h = b.axis("h", heads), i = b.axis("i", tokens), j = b.axis("j", tokens);
    auto const k = b.axis("k", size), d = b.axis("d", size);
    auto const argument = [&](std::string name, attune::nest_role role) {
        return b.array(std::move(name), role, {b.of(h), b.of(i), b.of(k)});
    };
    auto const Q = argument("Q", read), K = argument("K", read), V = argument("V", read);
    auto const S = b.array("S", temporary, {b.of(h), b.of(i), b.of(j)});
    auto const m = b.array("m", temporary, {b.of(h), b.of(i)});
    auto const E = b.array("E", temporary, {b.of(h), b.of(i), b.of(j)});
    auto const s = b.array("s", temporary, {b.of(h), b.of(i)});
    auto const T = b.array("T", temporary, {b.of(h), b.of(i), b.of(k)});
    auto const O = argument("O", written);
    auto const at = [&](std::uint32_t array, std::vector<std::uint32_t> const& axes) {
        std::vector<affine_index> index;
        for (std::uint32_t const a : axes)
            index.push_back(b.at(a));
        return b.read(array, std::move(index));
    };
    b.statement(S, {h, i, j}, {k}, attune::reduction::sum,
                b.op(nest_op::multiply, at(Q, {h, i, k}), at(K, {h, j, k})));
    b.statement(m, {h, i}, {j}, attune::reduction::maximum, at(S, {h, i, j}));
    b.statement(
        E, {h, i, j}, {}, attune::reduction::none,
        b.op(nest_op::exponential, b.op(nest_op::subtract, at(S, {h, i, j}), at(m, {h, i}))));
    b.statement(s, {h, i}, {j}, attune::reduction::sum, at(E, {h, i, j}));
    b.statement(T, {h, i, d}, {j}, attune::reduction::sum,
                b.op(nest_op::multiply, at(E, {h, i, j}), at(V, {h, j, d})));
    b.statement(O, {h, i, d}, {}, attune::reduction::none,
                b.op(nest_op::divide, at(T, {h, i, d}), at(s, {h, i})));
    return b.out;
}

} // namespace support
