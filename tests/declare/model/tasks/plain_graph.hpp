// tests/declare/model/tasks/plain_graph.hpp - computes an ONNX graph node by node, in the order of the file.
// SPDX-License-Identifier: MIT
// Source   ONNX 1.12, docs/Operators.md
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <onnx/onnx_pb.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace onnx_tests {

struct plain_array {
    std::vector<std::int64_t> shape;
    std::vector<double> of;

    [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

[[nodiscard]] inline std::int64_t count_in(std::vector<std::int64_t> const& shape)
{
    std::int64_t out = 1;
    for (std::int64_t const extent : shape)
        out *= extent;
    return out;
}

/// Calls f(indices) for each element in order.
template <class F>
void for_each_index(std::vector<std::int64_t> const& shape, F const& f)
{
    std::vector<std::int64_t> at(shape.size(), 0);
    for (std::int64_t n = count_in(shape); n > 0; --n) {
        f(at);
        for (std::size_t i = shape.size(); i-- > 0;) {
            if (++at[i] < shape[i]) break;
            at[i] = 0;
        }
    }
}

/// The place of an element; indices along extents of 1 do not count, and leading ones are dropped.
[[nodiscard]] inline std::size_t place_in(std::vector<std::int64_t> const& shape,
                                          std::vector<std::int64_t> const& at)
{
    std::int64_t out = 0;
    std::size_t const skip = at.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i)
        out = out * shape[i] + (shape[i] == 1 ? 0 : at[i + skip]);
    return static_cast<std::size_t>(out);
}

class plain_graph {
public:
    explicit plain_graph(onnx::ModelProto const& model)
        : graph_(model.graph())
    {
        for (onnx::TensorProto const& t : graph_.initializer()) {
            plain_array& made = all_[t.name()];
            made.shape.assign(t.dims().begin(), t.dims().end());
            made.of.assign(t.float_data().begin(), t.float_data().end());
            for (std::int64_t const i : t.int64_data())
                made.of.push_back(static_cast<double>(i));
        }
    }
    void set(std::string const& name, plain_array value) { all_[name] = std::move(value); }
    [[nodiscard]] plain_array const& get(std::string const& name) const { return all_.at(name); }
    void run()
    {
        for (onnx::NodeProto const& node : graph_.node()) {
            node_ = &node;
            all_[node.output(0)] = computed();
        }
    }

private:
    [[nodiscard]] plain_array const& in(int i) const { return all_.at(node_->input(i)); }
    [[nodiscard]] bool has(int i) const
    {
        return i < node_->input_size() && !node_->input(i).empty();
    }
    [[nodiscard]] onnx::AttributeProto const* find(std::string const& name) const
    {
        for (onnx::AttributeProto const& a : node_->attribute())
            if (a.name() == name) return &a;
        return nullptr;
    }
    [[nodiscard]] std::int64_t integer(std::string const& name, std::int64_t otherwise) const
    {
        auto const* const a = find(name);
        return a == nullptr ? otherwise : a->i();
    }
    [[nodiscard]] double real(std::string const& name, double otherwise) const
    {
        auto const* const a = find(name);
        return a == nullptr ? otherwise : static_cast<double>(a->f());
    }
    [[nodiscard]] std::vector<std::int64_t> list(std::string const& name,
                                                 std::vector<std::int64_t> otherwise) const
    {
        auto const* const a = find(name);
        if (a == nullptr) return otherwise;
        return {a->ints().begin(), a->ints().end()};
    }
    [[nodiscard]] std::vector<std::int64_t> whole(int i) const
    {
        std::vector<std::int64_t> out;
        for (double const x : in(i).of)
            out.push_back(static_cast<std::int64_t>(x));
        return out;
    }
    [[nodiscard]] static plain_array of_shape(std::vector<std::int64_t> shape)
    {
        plain_array out;
        out.of.resize(static_cast<std::size_t>(count_in(shape)));
        out.shape = std::move(shape);
        return out;
    }

    [[nodiscard]] plain_array computed() const
    {
        std::string const& op = node_->op_type();
        if (op == "Conv") return convolution();
        if (op == "ConvTranspose") return transposed_convolution();
        if (op == "MatMul") return product(in(0), in(1));
        if (op == "Gemm") return gemm();
        if (op == "BatchNormalization") return batch_norm();
        if (op == "LayerNormalization") return layer_norm();
        if (op == "Softmax") return softmax();
        if (op == "MaxPool" || op == "AveragePool") return pooling();
        if (op.starts_with("Global") || op.starts_with("Reduce")) return reduction();
        if (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten")
            return reshaped();
        if (op == "Transpose") return transposed();
        if (op == "Slice") return sliced();
        if (op == "Concat") return joined();
        if (op == "Resize") return nearest();
        if (op == "Identity") return in(0);
        if (op == "Clip") {
            plain_array out = in(0);
            for (double& x : out.of) {
                if (has(1)) x = std::max(x, in(1).of[0]);
                if (has(2)) x = std::min(x, in(2).of[0]);
            }
            return out;
        }
        return node_->input_size() == 2 ? of_two() : of_one();
    }
    [[nodiscard]] plain_array of_one() const
    {
        std::string const& op = node_->op_type();
        plain_array out = in(0);
        for (double& x : out.of) {
            if (op == "Relu")
                x = std::max(x, 0.0);
            else if (op == "Sigmoid")
                x = 1 / (1 + std::exp(-x));
            else if (op == "Tanh")
                x = std::tanh(x);
            else if (op == "Sqrt")
                x = std::sqrt(x);
            else if (op == "Exp")
                x = std::exp(x);
            else if (op == "Abs")
                x = std::fabs(x);
            else if (op == "Erf")
                x = std::erf(x);
            else if (op == "Reciprocal")
                x = 1 / x;
            else if (op == "LeakyRelu")
                x = x < 0 ? real("alpha", 0.01) * x : x;
            else if (op == "Elu")
                x = x < 0 ? real("alpha", 1) * (std::exp(x) - 1) : x;
            else if (op == "HardSwish")
                x *= std::clamp(x / 6 + 0.5, 0.0, 1.0);
            else if (op == "HardSigmoid")
                x = std::clamp(real("alpha", 0.2) * x + real("beta", 0.5), 0.0, 1.0);
            else
                throw std::runtime_error("no plain " + op);
        }
        return out;
    }
    [[nodiscard]] plain_array of_two() const
    {
        std::string const& op = node_->op_type();
        plain_array const& a = in(0);
        plain_array const& b = in(1);
        std::vector<std::int64_t> shape(std::max(a.rank(), b.rank()), 1);
        for (plain_array const* one : {&a, &b})
            for (std::size_t i = 0; i < one->rank(); ++i) {
                std::int64_t& to = shape[shape.size() - one->rank() + i];
                to = std::max(to, one->shape[i]);
            }
        plain_array out = of_shape(shape);
        std::size_t n = 0;
        for_each_index(shape, [&](auto const& at) {
            double const x = a.of[place_in(a.shape, at)];
            double const y = b.of[place_in(b.shape, at)];
            out.of[n++] = op == "Add"     ? x + y
                          : op == "Sub"   ? x - y
                          : op == "Mul"   ? x * y
                          : op == "Div"   ? x / y
                          : op == "Max"   ? std::max(x, y)
                          : op == "Min"   ? std::min(x, y)
                          : op == "Pow"   ? std::pow(x, y)
                          : op == "PRelu" ? (x < 0 ? x * y : x)
                                          : throw std::runtime_error("no plain " + op);
        });
        return out;
    }

    [[nodiscard]] plain_array convolution() const
    {
        plain_array const& x = in(0);
        plain_array const& w = in(1);
        std::size_t const axes = x.rank() - 2;
        std::vector<std::int64_t> const ones(axes, 1);
        auto const strides = list("strides", ones);
        auto const dilations = list("dilations", ones);
        auto const pads = list("pads", std::vector<std::int64_t>(2 * axes, 0));
        std::int64_t const groups = integer("group", 1);
        std::vector<std::int64_t> shape{x.shape[0], w.shape[0]};
        for (std::size_t a = 0; a < axes; ++a)
            shape.push_back((x.shape[a + 2] + pads[a] + pads[a + axes] -
                             dilations[a] * (w.shape[a + 2] - 1) - 1) /
                                strides[a] +
                            1);
        plain_array out = of_shape(shape);
        std::vector<std::int64_t> const window(w.shape.begin() + 1, w.shape.end());
        for_each_index(shape, [&](auto const& at) {
            double sum = has(2) ? in(2).of[static_cast<std::size_t>(at[1])] : 0;
            for_each_index(window, [&](auto const& tap) {
                std::vector<std::int64_t> from{at[0],
                                               at[1] / (shape[1] / groups) * window[0] + tap[0]};
                std::vector<std::int64_t> weight{at[1]};
                weight.insert(weight.end(), tap.begin(), tap.end());
                for (std::size_t a = 0; a < axes; ++a) {
                    from.push_back(at[a + 2] * strides[a] - pads[a] + tap[a + 1] * dilations[a]);
                    if (from.back() < 0 || from.back() >= x.shape[a + 2]) return;
                }
                sum += x.of[place_in(x.shape, from)] * w.of[place_in(w.shape, weight)];
            });
            out.of[place_in(shape, at)] = sum;
        });
        return out;
    }
    /// Adds each product to the element that it belongs to.
    [[nodiscard]] plain_array transposed_convolution() const
    {
        plain_array const& x = in(0);
        plain_array const& w = in(1);
        auto const strides = list("strides", {1, 1});
        plain_array out =
            of_shape({x.shape[0], w.shape[1], (x.shape[2] - 1) * strides[0] + w.shape[2],
                      (x.shape[3] - 1) * strides[1] + w.shape[3]});
        for_each_index(out.shape, [&](auto const& at) {
            out.of[place_in(out.shape, at)] =
                has(2) ? in(2).of[static_cast<std::size_t>(at[1])] : 0;
        });
        for_each_index(x.shape, [&](auto const& at) {
            for_each_index({w.shape[1], w.shape[2], w.shape[3]}, [&](auto const& tap) {
                out.of[place_in(out.shape, {at[0], tap[0], at[2] * strides[0] + tap[1],
                                            at[3] * strides[1] + tap[2]})] +=
                    x.of[place_in(x.shape, at)] *
                    w.of[place_in(w.shape, {at[1], tap[0], tap[1], tap[2]})];
            });
        });
        return out;
    }
    [[nodiscard]] static plain_array product(plain_array const& a, plain_array const& b)
    {
        std::vector<std::int64_t> shape(std::max(a.rank(), b.rank()), 1);
        for (plain_array const* one : {&a, &b})
            for (std::size_t i = 0; i + 2 < one->rank(); ++i) {
                std::int64_t& to = shape[shape.size() - one->rank() + i];
                to = std::max(to, one->shape[i]);
            }
        shape[shape.size() - 2] = a.shape[a.rank() - 2];
        shape[shape.size() - 1] = b.shape[b.rank() - 1];
        plain_array out = of_shape(shape);
        for_each_index(shape, [&](auto at) {
            double sum = 0;
            auto left = at;
            auto right = at;
            for (std::int64_t k = 0; k < a.shape.back(); ++k) {
                left[at.size() - 1] = k;
                right[at.size() - 2] = k;
                sum += a.of[place_in(a.shape, left)] * b.of[place_in(b.shape, right)];
            }
            out.of[place_in(shape, at)] = sum;
        });
        return out;
    }
    [[nodiscard]] static plain_array turned(plain_array const& x)
    {
        plain_array out = of_shape({x.shape[1], x.shape[0]});
        for_each_index(x.shape, [&](auto const& at) {
            out.of[place_in(out.shape, {at[1], at[0]})] = x.of[place_in(x.shape, at)];
        });
        return out;
    }
    [[nodiscard]] plain_array gemm() const
    {
        plain_array out = product(integer("transA", 0) != 0 ? turned(in(0)) : in(0),
                                  integer("transB", 0) != 0 ? turned(in(1)) : in(1));
        for_each_index(out.shape, [&](auto const& at) {
            double& x = out.of[place_in(out.shape, at)];
            x *= real("alpha", 1);
            if (has(2)) x += real("beta", 1) * in(2).of[place_in(in(2).shape, at)];
        });
        return out;
    }
    [[nodiscard]] plain_array batch_norm() const
    {
        plain_array out = in(0);
        for_each_index(out.shape, [&](auto const& at) {
            auto const c = static_cast<std::size_t>(at[1]);
            double& x = out.of[place_in(out.shape, at)];
            x = (x - in(3).of[c]) / std::sqrt(in(4).of[c] + real("epsilon", 1e-5)) * in(1).of[c] +
                in(2).of[c];
        });
        return out;
    }
    [[nodiscard]] plain_array layer_norm() const
    {
        plain_array out = in(0);
        auto const columns = static_cast<std::size_t>(out.shape.back());
        for (std::size_t row = 0; row < out.of.size(); row += columns) {
            double mean = 0;
            double variance = 0;
            for (std::size_t c = 0; c < columns; ++c)
                mean += out.of[row + c] / static_cast<double>(columns);
            for (std::size_t c = 0; c < columns; ++c)
                variance += std::pow(out.of[row + c] - mean, 2) / static_cast<double>(columns);
            for (std::size_t c = 0; c < columns; ++c)
                out.of[row + c] = (out.of[row + c] - mean) /
                                      std::sqrt(variance + real("epsilon", 1e-5)) * in(1).of[c] +
                                  in(2).of[c];
        }
        return out;
    }
    [[nodiscard]] plain_array softmax() const
    {
        plain_array out = in(0);
        std::int64_t const given = integer("axis", -1);
        auto const axis = static_cast<std::size_t>(
            given < 0 ? given + static_cast<std::int64_t>(out.rank()) : given);
        std::vector<std::int64_t> rows = out.shape;
        rows[axis] = 1;
        for_each_index(rows, [&](auto at) {
            double sum = 0;
            for (at[axis] = 0; at[axis] < out.shape[axis]; ++at[axis])
                sum += std::exp(out.of[place_in(out.shape, at)]);
            for (at[axis] = 0; at[axis] < out.shape[axis]; ++at[axis]) {
                double& x = out.of[place_in(out.shape, at)];
                x = std::exp(x) / sum;
            }
        });
        return out;
    }
    [[nodiscard]] plain_array pooling() const
    {
        plain_array const& x = in(0);
        auto const kernel = list("kernel_shape", {});
        auto const strides = list("strides", {1, 1});
        auto const pads = list("pads", {0, 0, 0, 0});
        bool const is_mean = node_->op_type() == "AveragePool";
        plain_array out = of_shape({x.shape[0], x.shape[1],
                                    (x.shape[2] + pads[0] + pads[2] - kernel[0]) / strides[0] + 1,
                                    (x.shape[3] + pads[1] + pads[3] - kernel[1]) / strides[1] + 1});
        for_each_index(out.shape, [&](auto const& at) {
            double& to = out.of[place_in(out.shape, at)];
            to = is_mean ? 0 : -std::numeric_limits<double>::infinity();
            for_each_index(kernel, [&](auto const& tap) {
                std::int64_t const h = at[2] * strides[0] - pads[0] + tap[0];
                std::int64_t const w = at[3] * strides[1] - pads[1] + tap[1];
                if (h < 0 || h >= x.shape[2] || w < 0 || w >= x.shape[3]) return;
                double const value = x.of[place_in(x.shape, {at[0], at[1], h, w})];
                to = is_mean ? to + value / static_cast<double>(kernel[0] * kernel[1])
                             : std::max(to, value);
            });
        });
        return out;
    }
    [[nodiscard]] plain_array reduction() const
    {
        plain_array const& x = in(0);
        std::string const& op = node_->op_type();
        std::vector<std::int64_t> axes;
        if (op.starts_with("Global"))
            for (std::size_t i = 2; i < x.rank(); ++i)
                axes.push_back(static_cast<std::int64_t>(i));
        else
            axes = has(1) ? whole(1) : list("axes", {});
        std::vector<std::int64_t> kept = x.shape;
        for (std::int64_t const axis : axes)
            kept[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(x.rank())
                                                   : axis)] = 1;
        plain_array out = of_shape(kept);
        bool const is_largest = op.find("Max") != std::string::npos;
        if (is_largest) out.of.assign(out.of.size(), -std::numeric_limits<double>::infinity());
        double const count =
            static_cast<double>(count_in(x.shape)) / static_cast<double>(count_in(kept));
        bool const is_mean = op == "ReduceMean" || op == "GlobalAveragePool";
        for_each_index(x.shape, [&](auto const& at) {
            double& to = out.of[place_in(kept, at)];
            double const value = x.of[place_in(x.shape, at)];
            to = is_largest ? std::max(to, value) : to + (is_mean ? value / count : value);
        });
        if (integer("keepdims", 1) == 0) {
            std::vector<std::int64_t> shape;
            for (std::size_t i = 0; i < kept.size(); ++i)
                if (kept[i] != 1 || x.shape[i] == 1) shape.push_back(kept[i]);
            out.shape = shape;
        }
        return out;
    }
    [[nodiscard]] plain_array reshaped() const
    {
        plain_array out = in(0);
        std::string const& op = node_->op_type();
        std::vector<std::int64_t> shape = op == "Reshape" ? whole(1) : std::vector<std::int64_t>{};
        if (op == "Reshape") {
            std::int64_t known = 1;
            for (std::size_t i = 0; i < shape.size(); ++i) {
                if (shape[i] == 0) shape[i] = out.shape[i];
                if (shape[i] > 0) known *= shape[i];
            }
            for (std::int64_t& extent : shape)
                if (extent < 0) extent = count_in(out.shape) / known;
        } else if (op == "Squeeze") {
            auto const axes = whole(1);
            for (std::size_t i = 0; i < out.rank(); ++i)
                if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) == axes.end())
                    shape.push_back(out.shape[i]);
        } else if (op == "Unsqueeze") {
            shape = out.shape;
            for (std::int64_t const axis : whole(1))
                shape.insert(shape.begin() + axis, 1);
        } else {
            shape = {out.shape[0], count_in(out.shape) / out.shape[0]};
        }
        out.shape = shape;
        return out;
    }
    [[nodiscard]] plain_array transposed() const
    {
        plain_array const& x = in(0);
        auto const perm = list("perm", {});
        std::vector<std::int64_t> shape;
        for (std::int64_t const axis : perm)
            shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
        plain_array out = of_shape(shape);
        for_each_index(shape, [&](auto const& at) {
            std::vector<std::int64_t> from(at.size());
            for (std::size_t i = 0; i < at.size(); ++i)
                from[static_cast<std::size_t>(perm[i])] = at[i];
            out.of[place_in(shape, at)] = x.of[place_in(x.shape, from)];
        });
        return out;
    }
    [[nodiscard]] plain_array sliced() const
    {
        plain_array const& x = in(0);
        auto const starts = whole(1);
        auto const ends = whole(2);
        auto const axes = whole(3);
        auto const steps = has(4) ? whole(4) : std::vector<std::int64_t>(starts.size(), 1);
        std::vector<std::int64_t> shape = x.shape;
        for (std::size_t i = 0; i < axes.size(); ++i)
            shape[static_cast<std::size_t>(axes[i])] =
                (ends[i] - starts[i] + steps[i] - 1) / steps[i];
        plain_array out = of_shape(shape);
        for_each_index(shape, [&](auto const& at) {
            auto from = at;
            for (std::size_t i = 0; i < axes.size(); ++i) {
                std::int64_t& index = from[static_cast<std::size_t>(axes[i])];
                index = index * steps[i] + starts[i];
            }
            out.of[place_in(shape, at)] = x.of[place_in(x.shape, from)];
        });
        return out;
    }
    [[nodiscard]] plain_array joined() const
    {
        auto const axis = static_cast<std::size_t>(integer("axis", 0));
        std::vector<std::int64_t> shape = in(0).shape;
        for (int i = 1; i < node_->input_size(); ++i)
            shape[axis] += in(i).shape[axis];
        plain_array out = of_shape(shape);
        std::int64_t before = 0;
        for (int i = 0; i < node_->input_size(); ++i) {
            for_each_index(in(i).shape, [&](auto at) {
                double const value = in(i).of[place_in(in(i).shape, at)];
                at[axis] += before;
                out.of[place_in(shape, at)] = value;
            });
            before += in(i).shape[axis];
        }
        return out;
    }
    [[nodiscard]] plain_array nearest() const
    {
        plain_array const& x = in(0);
        std::vector<std::int64_t> shape;
        for (std::size_t i = 0; i < x.rank(); ++i)
            shape.push_back(x.shape[i] * static_cast<std::int64_t>(in(2).of[i]));
        plain_array out = of_shape(shape);
        for_each_index(shape, [&](auto at) {
            std::size_t const to = place_in(shape, at);
            for (std::size_t i = 0; i < at.size(); ++i)
                at[i] = at[i] * x.shape[i] / shape[i];
            out.of[to] = x.of[place_in(x.shape, at)];
        });
        return out;
    }

    onnx::GraphProto const& graph_;
    onnx::NodeProto const* node_ = nullptr;
    std::map<std::string, plain_array> all_;
};

} // namespace onnx_tests
