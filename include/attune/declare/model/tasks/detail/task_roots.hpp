// attune/declare/model/tasks/detail/task_roots.hpp - formulas of products, convolutions, poolings, reductions and copies.
// SPDX-License-Identifier: MIT
// tested by declare/model/tasks/tasks_of.cpp
// Source   ONNX 1.12, docs/Operators.md
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/tasks/detail/task_elements.hpp>
#include <attune/declare/model/tasks/detail/task_graph.hpp>
#include <attune/declare/model/tasks/detail/task_tensor.hpp>
#include <attune/declare/model/tasks/detail/task_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The value of a root at one element of its result.
struct root_value {
    std::vector<affine_index> at{};      ///< indices of the element along the axes of the result
    std::vector<std::size_t> order{};    ///< axes of the result in the order of memory
    std::vector<affine_index> spatial{}; ///< loops in the order of memory
    std::uint32_t value = no_index;
    reduction combine = reduction::none;
    std::vector<affine_index> over{};                     ///< loops of the reduction
    std::function<std::uint32_t(std::uint32_t)> behind{}; ///< of the combined value; may be empty
    std::size_t folded = 0; ///< operators behind the root that its weights contain
};

/// The formula of a group.
class task_roots {
public:
    /// @param readers  the nodes that read an array
    task_roots(std::vector<task_node> const& nodes, task_group const& group,
               std::function<std::set<std::size_t>(std::string const&)> readers,
               scalar_choice is_literal)
        : nodes_(nodes)
        , group_(group)
        , readers_(std::move(readers))
        , to_(std::move(is_literal))
    {
    }

    /// Writes the task, and sets the order of the result's memory.
    /// Errors  no_formula
    [[nodiscard]] written_task write()
    {
        task_node const& root = node(0);
        root_value r = value_of(root);
        task_elements elements(to_, r.at);
        std::size_t next = 1 + r.folded;
        if (r.value == no_index) r.value = elements.of(root); // an operator element by element
        if (!r.behind && next == group_.nodes.size()) {
            to_.result(r.spatial, r.value, r.combine, r.over);
        } else {
            std::uint32_t value = r.value;
            if (!r.over.empty()) value = to_.temporary(r.spatial, value, r.combine, r.over);
            if (r.behind) value = r.behind(value);
            elements.set(node(next - 1).output_name(), value);
            for (; next < group_.nodes.size(); ++next) {
                present_ = next;
                elements.set(node(next).output_name(), elements.of(node(next)));
            }
            to_.result(r.spatial, elements.value(node(next - 1).output_name()));
        }
        written_task out = to_.made();
        axis_joiner(out.nest).join();
        task_node const& last = node(group_.nodes.size() - 1);
        last.output().hold(last.output_name(), r.order);
        return out;
    }

    /// The node of the group that write() has no formula for, if it throws.
    [[nodiscard]] std::size_t refused() const { return group_.nodes[present_]; }

    /// Returns true if an operator may be the root of a task, or follow one.
    [[nodiscard]] static bool has(std::string_view op)
    {
        return is_elementwise(op) || roots().contains(op);
    }

private:
    using lowering = root_value (task_roots::*)(task_node const&);
    [[nodiscard]] static std::map<std::string_view, lowering> const& roots()
    {
        static std::map<std::string_view, lowering> const all = {
            {"Conv", &task_roots::convolution},
            {"ConvTranspose", &task_roots::transposed_convolution},
            {"MatMul", &task_roots::product},
            {"Gemm", &task_roots::gemm},
            {"GlobalAveragePool", &task_roots::global_pooling},
            {"GlobalMaxPool", &task_roots::global_pooling},
            {"AveragePool", &task_roots::pooling},
            {"MaxPool", &task_roots::pooling},
            {"ReduceMean", &task_roots::reduction_of},
            {"ReduceSum", &task_roots::reduction_of},
            {"ReduceMax", &task_roots::reduction_of},
            {"ReduceMin", &task_roots::reduction_of},
            {"Softmax", &task_roots::softmax},
            {"LayerNormalization", &task_roots::layer_norm},
            {"Resize", &task_roots::nearest},
            {"Upsample", &task_roots::nearest},
            {"Concat", &task_roots::joined},
            {"Copy", &task_roots::copy},
        };
        return all;
    }
    [[nodiscard]] root_value value_of(task_node const& root)
    {
        if (is_elementwise(root.op())) return elementwise(root);
        return (this->*roots().at(root.op()))(root);
    }
    [[nodiscard]] task_node const& node(std::size_t i) const { return nodes_[group_.nodes[i]]; }

    [[nodiscard]] static std::vector<std::string> names_of_axes(std::size_t rank)
    {
        if (rank == 4) return {"n", "c", "h", "w"};
        if (rank == 3) return {"n", "i", "j"};
        if (rank == 2) return {"i", "j"};
        std::vector<std::string> out;
        for (std::size_t i = 0; i < rank; ++i)
            out.push_back("i" + std::to_string(i));
        return out;
    }
    /// A loop for each axis, in the order of memory.
    void add_loops(root_value& out, task_extents const& shape)
    {
        std::vector<std::string> const names = names_of_axes(shape.size());
        out.at.assign(shape.size(), {});
        for (std::size_t const axis : out.order) {
            out.at[axis] = to_.axis(names[axis], shape[axis]);
            out.spatial.push_back(out.at[axis]);
        }
    }
    /// All axes in the order of memory; those of extent 1 first.
    [[nodiscard]] static std::vector<std::size_t> full_order(task_tensor const& x)
    {
        std::vector<std::size_t> const known = x.order().value_or(std::vector<std::size_t>{});
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < x.shape.size(); ++i)
            if (std::find(known.begin(), known.end(), i) == known.end()) out.push_back(i);
        out.insert(out.end(), known.begin(), known.end());
        return out;
    }
    /// Images have the channels, axis 1, last.
    [[nodiscard]] static std::vector<std::size_t> order_of_images(std::size_t rank)
    {
        std::vector<std::size_t> out{0};
        for (std::size_t i = 2; i < rank; ++i)
            out.push_back(i);
        out.push_back(1);
        return out;
    }

    [[nodiscard]] root_value elementwise(task_node const& root)
    {
        root_value out;
        task_extents const& shape = root.output().shape;
        for (std::size_t i = shape.size(); i-- > 0;)
            out.order.insert(out.order.begin(), i);
        for (std::size_t i = 0; i < root.input_count(); ++i)
            if (root.has(i) && root.input(i).flows && root.input(i).shape == shape &&
                root.input(i).order()) {
                out.order = full_order(root.input(i));
                break;
            }
        add_loops(out, shape);
        return out;
    }

    // --- products -----------------------------------------------------------------------------
    /// Operators behind a product, as factors and terms of its columns.
    struct columns {
        std::vector<float> factor;
        std::vector<float> term;
        bool has_term = false;
        std::size_t folded = 0;
    };
    /// A stored input with one number for each column, or one for all.
    [[nodiscard]] static std::optional<std::vector<float>>
    of_columns(task_node const& node, std::size_t i, std::size_t axis, std::size_t count)
    {
        if (!node.is_stored(i) || node.input(i).numbers == nullptr) return {};
        task_extents const& shape = node.input(i).shape;
        std::vector<float> const& numbers = *node.input(i).numbers;
        if (numbers.size() == 1) return std::vector<float>(count, numbers[0]);
        std::size_t const rank = node.output().shape.size();
        if (numbers.size() != count || shape.size() > rank || shape.size() + axis < rank ||
            shape[shape.size() + axis - rank] != static_cast<std::int64_t>(count))
            return {};
        return numbers;
    }
    /// Takes the operators behind the root that multiply or shift columns by stored numbers.
    /// @param axis  of the columns in the result
    [[nodiscard]] columns fold(std::size_t axis, std::optional<std::vector<float>> const& bias)
    {
        auto const count = static_cast<std::size_t>(node(0).output().shape[axis]);
        columns out{.factor = std::vector<float>(count, 1), .term = std::vector<float>(count, 0)};
        if (bias) {
            out.term = *bias;
            out.has_term = true;
        }
        for (std::size_t k = 1; k < group_.nodes.size(); ++k, ++out.folded) {
            task_node const& next = node(k);
            std::string const& from = node(k - 1).output_name();
            if (readers_(from).size() != 1) break;
            std::string const& op = next.op();
            if (op == "BatchNormalization") {
                if (axis != 1 || next.input_name(0) != from || !next.is_stored(1)) break;
                present_ = k;
                auto const [factor, term] = factors_of_norm(next);
                present_ = 0;
                for (std::size_t c = 0; c < count; ++c) {
                    out.factor[c] *= factor[c];
                    out.term[c] = out.term[c] * factor[c] + term[c];
                }
                out.has_term = true;
                continue;
            }
            if (next.input_count() != 2 ||
                (op != "Add" && op != "Sub" && op != "Mul" && op != "Div"))
                break;
            bool const is_first = next.input_name(0) == from;
            auto const numbers = of_columns(next, is_first ? 1 : 0, axis, count);
            if (!numbers || (op == "Div" && !is_first)) break;
            for (std::size_t c = 0; c < count; ++c) {
                float const n = (*numbers)[c];
                float const factor = op == "Mul"                ? n
                                     : op == "Div"              ? 1 / n
                                     : op == "Sub" && !is_first ? -1.0F
                                                                : 1.0F;
                out.factor[c] *= factor;
                out.term[c] *= factor;
                if (op == "Add" || (op == "Sub" && !is_first)) out.term[c] += n;
                if (op == "Sub" && is_first) out.term[c] -= n;
            }
            out.has_term = out.has_term || op == "Add" || op == "Sub";
        }
        return out;
    }
    /// Adds the terms of columns behind the reduction.
    void add_term(root_value& out, columns const& of, task_extents const& extents,
                  std::vector<affine_index> const& at)
    {
        out.folded = of.folded;
        if (!of.has_term) return;
        // The constant follows the weights among the arguments.
        std::uint32_t const term = to_.constant("B", of.term, extents, at);
        out.behind = [this, term](std::uint32_t sum) { return to_.add(sum, term); };
    }

    struct windows {
        task_extents kernel{};
        task_extents strides{};
        task_extents dilations{};
        task_extents before{};
        bool are_padded = false;
    };
    /// @param out  extents of the result in space
    [[nodiscard]] windows windows_of(task_node const& root, task_extents const& kernel)
    {
        std::size_t const axes = kernel.size();
        task_extents const& in = root.input(0).shape;
        task_extents const& result = root.output().shape;
        windows out{.kernel = kernel};
        out.strides = root.list("strides", task_extents(axes, 1));
        out.dilations = root.list("dilations", task_extents(axes, 1));
        out.before = root.list("pads", task_extents(2 * axes, 0));
        std::string const way = root.text("auto_pad", "NOTSET");
        for (std::size_t a = 0; a < axes; ++a) {
            std::int64_t const reach =
                (result[a + 2] - 1) * out.strides[a] + (kernel[a] - 1) * out.dilations[a] + 1;
            std::int64_t const missing = std::max<std::int64_t>(reach - in[a + 2], 0);
            if (way == "SAME_UPPER") out.before[a] = missing / 2;
            if (way == "SAME_LOWER") out.before[a] = missing - missing / 2;
            if (way == "VALID") out.before[a] = 0;
            out.are_padded =
                out.are_padded || out.before[a] > 0 || reach - out.before[a] > in[a + 2];
        }
        return out;
    }
    /// The index of the input under element r of a window.
    [[nodiscard]] static affine_index under(affine_index const& place, affine_index const& r,
                                            windows const& of, std::size_t axis)
    {
        affine_index out{.offset = -of.before[axis]};
        for (affine_term const& t : place.terms)
            detail::add_term(out, t.axis, t.factor * of.strides[axis]);
        for (affine_term const& t : r.terms)
            detail::add_term(out, t.axis, t.factor * of.dilations[axis]);
        return out;
    }
    [[nodiscard]] static char const* name_in_space(std::size_t a, std::size_t axes)
    {
        constexpr char const* names[] = {"d", "h", "w"};
        return names[a + 3 - std::min<std::size_t>(axes, 3)];
    }
    [[nodiscard]] static char const* name_in_window(std::size_t a, std::size_t axes)
    {
        constexpr char const* names[] = {"q", "r", "s"};
        return names[a + 3 - std::min<std::size_t>(axes, 3)];
    }
    static void require_space(std::size_t rank)
    {
        if (rank < 3 || rank > 5)
            throw no_formula{"its input has " + std::to_string(rank) + " axes"};
    }

    [[nodiscard]] root_value convolution(task_node const& root)
    {
        task_extents const& x = root.input(0).shape;
        task_extents const& w = root.input(1).shape;
        task_extents const& y = root.output().shape;
        require_space(x.size());
        std::size_t const axes = x.size() - 2;
        std::int64_t const groups = root.integer("group", 1);
        std::int64_t const filters = w[0] / groups;
        windows const window = windows_of(root, {w.begin() + 2, w.end()});
        columns const more = fold(1, bias_of(root, 2));

        root_value out{.order = order_of_images(x.size()), .combine = reduction::sum};
        affine_index const n = to_.axis("n", y[0]);
        std::vector<affine_index> places, taps;
        for (std::size_t a = 0; a < axes; ++a)
            places.push_back(to_.axis(name_in_space(a, axes), y[a + 2]));
        affine_index const g = to_.axis("g", groups);
        affine_index const f = to_.axis("f", filters);
        for (std::size_t a = 0; a < axes; ++a)
            taps.push_back(to_.axis(name_in_window(a, axes), w[a + 2]));
        affine_index const c = to_.axis("c", w[1]);
        out.at = {n, sum_of(g, filters, f)};
        out.at.insert(out.at.end(), places.begin(), places.end());
        out.spatial = {n};
        out.spatial.insert(out.spatial.end(), places.begin(), places.end());
        out.spatial.insert(out.spatial.end(), {g, f});
        out.over = taps;
        out.over.push_back(c);

        std::vector<affine_index> from{n, sum_of(g, w[1], c)};
        for (std::size_t a = 0; a < axes; ++a)
            from.push_back(under(places[a], taps[a], window, a));
        std::uint32_t const element = to_.read(root.input(0), from, window.are_padded);
        // G x F x C x R x S in the file, G x R x S x C x F in memory.
        std::vector<float> numbers = root.numbers(1);
        std::size_t const row = numbers.size() / static_cast<std::size_t>(w[0]);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] *= more.factor[i / row];
        task_extents stored{groups, filters};
        stored.insert(stored.end(), w.begin() + 1, w.end());
        std::vector<std::size_t> order{0};
        task_extents extents{groups};
        std::vector<affine_index> at{g};
        for (std::size_t a = 0; a < axes; ++a) {
            order.push_back(a + 3);
            extents.push_back(w[a + 2]);
            at.push_back(taps[a]);
        }
        order.insert(order.end(), {2, 1});
        extents.insert(extents.end(), {w[1], filters});
        at.insert(at.end(), {c, f});
        // The channels of a convolution without sums over channels are last.
        if (filters == 1 && w[1] == 1) {
            std::rotate(order.begin(), order.begin() + 1, order.end());
            std::rotate(extents.begin(), extents.begin() + 1, extents.end());
            std::rotate(at.begin(), at.begin() + 1, at.end());
        }
        std::uint32_t const weight =
            to_.constant("W", permuted(numbers, stored, order), extents, at, true);
        out.value = to_.multiply(element, weight);
        add_term(out, more, {groups, filters}, {g, f});
        return out;
    }
    [[nodiscard]] static std::optional<std::vector<float>> bias_of(task_node const& root,
                                                                   std::size_t i)
    {
        if (!root.has(i)) return {};
        return root.numbers(i);
    }
    [[nodiscard]] static affine_index sum_of(affine_index const& a, std::int64_t factor,
                                             affine_index const& b)
    {
        affine_index out = b;
        out.offset += factor * a.offset;
        for (affine_term const& t : a.terms)
            detail::add_term(out, t.axis, factor * t.factor);
        return out;
    }

    /// Windows that do not overlap: each element of the result has one tap.
    [[nodiscard]] root_value transposed_convolution(task_node const& root)
    {
        task_extents const& x = root.input(0).shape;
        task_extents const& w = root.input(1).shape;
        require_space(x.size());
        std::size_t const axes = x.size() - 2;
        task_extents const kernel(w.begin() + 2, w.end());
        task_extents const zeros(axes, 0);
        bool const is_plain =
            root.list("strides", task_extents(axes, 1)) == kernel &&
            root.list("pads", task_extents(2 * axes, 0)) == task_extents(2 * axes, 0) &&
            root.list("output_padding", zeros) == zeros &&
            root.list("dilations", task_extents(axes, 1)) == task_extents(axes, 1) &&
            root.integer("group", 1) == 1 && root.find("output_shape") == nullptr;
        if (!is_plain) throw no_formula{"its windows overlap, or have padding or groups"};
        columns const more = fold(1, bias_of(root, 2));
        root_value out{.order = order_of_images(x.size()), .combine = reduction::sum};
        affine_index const n = to_.axis("n", x[0]);
        out.at = {n, {}};
        out.spatial = {n};
        std::vector<affine_index> from{n, {}};
        std::vector<affine_index> taps;
        for (std::size_t a = 0; a < axes; ++a) {
            affine_index const place = to_.axis(name_in_space(a, axes), x[a + 2]);
            taps.push_back(to_.axis(name_in_window(a, axes), kernel[a]));
            out.at.push_back(sum_of(place, kernel[a], taps[a]));
            out.spatial.insert(out.spatial.end(), {place, taps[a]});
            from.push_back(place);
        }
        affine_index const f = to_.axis("f", w[1]);
        affine_index const c = to_.axis("c", w[0]);
        out.at[1] = f;
        out.spatial.push_back(f);
        out.over = {c};
        from[1] = c;
        std::uint32_t const element = to_.read(root.input(0), from);
        std::vector<float> numbers = root.numbers(1);
        auto const filters = static_cast<std::size_t>(w[1]);
        std::size_t const row = static_cast<std::size_t>(count_of(kernel));
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] *= more.factor[i / row % filters];
        std::vector<std::size_t> order;
        task_extents extents;
        std::vector<affine_index> at;
        for (std::size_t a = 0; a < axes; ++a) {
            order.push_back(a + 2);
            extents.push_back(kernel[a]);
            at.push_back(taps[a]);
        }
        order.insert(order.end(), {0, 1});
        extents.insert(extents.end(), {w[0], w[1]});
        at.insert(at.end(), {c, f});
        out.value = to_.multiply(element,
                                 to_.constant("W", permuted(numbers, w, order), extents, at, true));
        add_term(out, more, {w[1]}, {f});
        return out;
    }

    [[nodiscard]] root_value product(task_node const& root)
    {
        return product_of(root, false, false, {});
    }
    [[nodiscard]] root_value gemm(task_node const& root)
    {
        float const alpha = root.real("alpha", 1);
        float const beta = root.real("beta", 1);
        std::optional<std::vector<float>> bias;
        if (root.has(2)) {
            auto const count = static_cast<std::size_t>(root.output().shape[1]);
            bias = of_columns(root, 2, 1, count);
            if (!bias) throw no_formula{"its input 2 is no stored row"};
            for (float& number : *bias)
                number *= beta;
        }
        if (alpha != 1 && !root.is_stored(1)) throw no_formula{"it has a factor alpha"};
        return product_of(root, root.integer("transA", 0) != 0, root.integer("transB", 0) != 0,
                          bias, alpha);
    }
    [[nodiscard]] root_value product_of(task_node const& root, bool turns_a, bool turns_b,
                                        std::optional<std::vector<float>> const& bias,
                                        float alpha = 1)
    {
        task_tensor const& a = root.input(0);
        task_tensor const& b = root.input(1);
        task_extents const& y = root.output().shape;
        if (a.shape.size() < 2 || b.shape.size() < 2) throw no_formula{"it multiplies a vector"};
        if (!a.flows) throw no_formula{"its first factor is stored"};
        std::size_t const rank = y.size();
        root_value out{.combine = reduction::sum};
        for (std::size_t i = 0; i < rank; ++i) {
            out.order.push_back(i);
            out.at.push_back(to_.axis(i + 2 < rank ? "n" : i + 2 == rank ? "i" : "j", y[i]));
        }
        out.spatial = out.at;
        affine_index const k = to_.axis("k", a.shape[a.shape.size() - (turns_a ? 2 : 1)]);
        out.over = {k};
        auto const indices = [&](task_tensor const& of, affine_index const& row,
                                 affine_index const& column, bool is_turned) {
            std::vector<affine_index> batch(out.at.begin(), out.at.end() - 2);
            task_extents const outer(of.shape.begin(), of.shape.end() - 2);
            std::vector<affine_index> at = repeated(outer, batch);
            at.push_back(is_turned ? column : row);
            at.push_back(is_turned ? row : column);
            return at;
        };
        std::uint32_t const left = to_.read(a, indices(a, out.at[rank - 2], k, turns_a));
        affine_index const column = out.at[rank - 1];
        if (b.flows) {
            if (bias) throw no_formula{"it adds a row to a product of two arrays"};
            out.value = to_.multiply(left, to_.read(b, indices(b, k, column, turns_b)));
            return out;
        }
        columns const more = fold(rank - 1, bias);
        std::vector<float> numbers = root.numbers(1);
        task_extents extents = b.shape;
        if (turns_b) {
            numbers = permuted(numbers, b.shape, {1, 0});
            std::swap(extents[0], extents[1]);
        }
        auto const width = static_cast<std::size_t>(y.back());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] *= alpha * more.factor[i % width];
        out.value = to_.multiply(left, to_.constant("W", std::move(numbers), extents,
                                                    indices(b, k, column, false), true));
        add_term(out, more, {y.back()}, {column});
        return out;
    }

    // --- reductions ---------------------------------------------------------------------------
    /// Divides a sum by the number of its elements.
    [[nodiscard]] auto mean_of(double count)
    {
        return
            [this, count](std::uint32_t sum) { return to_.multiply(sum, to_.literal(1 / count)); };
    }
    [[nodiscard]] root_value reduced(task_tensor const& x, std::vector<bool> const& is_reduced,
                                     bool keeps, reduction combine, bool is_mean)
    {
        root_value out{.combine = combine};
        std::vector<std::string> const names = names_of_axes(x.shape.size());
        std::vector<affine_index> from(x.shape.size());
        std::vector<std::size_t> place(x.shape.size()); // of an axis in the result
        for (std::size_t i = 0, next = 0; i < x.shape.size(); ++i) {
            place[i] = next;
            next += keeps || !is_reduced[i] ? 1U : 0U;
        }
        std::vector<std::size_t> const order = full_order(x);
        double count = 1;
        for (bool const is_second : {false, true}) // loops of the result first
            for (std::size_t const axis : order) {
                if (is_reduced[axis] != is_second) continue;
                from[axis] = to_.axis(names[axis], x.shape[axis]);
                if (is_second) {
                    out.over.push_back(from[axis]);
                    count *= static_cast<double>(x.shape[axis]);
                } else {
                    out.spatial.push_back(from[axis]);
                }
            }
        for (std::size_t const axis : order)
            if (keeps || !is_reduced[axis]) out.order.push_back(place[axis]);
        for (std::size_t i = 0; i < x.shape.size(); ++i)
            if (keeps || !is_reduced[i]) out.at.push_back(is_reduced[i] ? affine_index{} : from[i]);
        out.value = to_.read(x, from);
        if (is_mean) out.behind = mean_of(count);
        return out;
    }
    [[nodiscard]] root_value global_pooling(task_node const& root)
    {
        task_tensor const& x = root.input(0);
        require_space(x.shape.size());
        std::vector<bool> is_reduced(x.shape.size(), true);
        is_reduced[0] = is_reduced[1] = false;
        bool const is_mean = root.op() == "GlobalAveragePool";
        return reduced(x, is_reduced, true, is_mean ? reduction::sum : reduction::maximum, is_mean);
    }
    [[nodiscard]] root_value reduction_of(task_node const& root)
    {
        task_tensor const& x = root.input(0);
        auto const axes = root.list("axes", 1);
        if (root.has(1) && !axes) throw no_formula{"its axes are known when it runs, not before"};
        bool const is_all = !axes || axes->empty();
        if (is_all && root.integer("noop_with_empty_axes", 0) != 0)
            throw no_formula{"it reduces no axis"};
        std::vector<bool> is_reduced(x.shape.size(), is_all);
        if (!is_all)
            for (std::int64_t const axis : *axes)
                is_reduced[task_node::axis_of(axis, x.shape.size())] = true;
        std::string const& op = root.op();
        return reduced(x, is_reduced, root.integer("keepdims", 1) != 0,
                       op == "ReduceMax"   ? reduction::maximum
                       : op == "ReduceMin" ? reduction::minimum
                                           : reduction::sum,
                       op == "ReduceMean");
    }
    [[nodiscard]] root_value pooling(task_node const& root)
    {
        task_tensor const& x = root.input(0);
        task_extents const& y = root.output().shape;
        require_space(x.shape.size());
        if (root.has_more_outputs()) throw no_formula{"it also gives the places of maxima"};
        std::size_t const axes = x.shape.size() - 2;
        windows const window = windows_of(root, root.list("kernel_shape", task_extents(axes, 1)));
        bool const is_mean = root.op() == "AveragePool";
        if (is_mean && window.are_padded && root.integer("count_include_pad", 0) == 0)
            throw no_formula{"its mean leaves the padding out"};
        root_value out{.order = order_of_images(x.shape.size()),
                       .combine = is_mean ? reduction::sum : reduction::maximum};
        affine_index const n = to_.axis("n", y[0]);
        out.at = {n, {}};
        out.spatial = {n};
        for (std::size_t a = 0; a < axes; ++a) {
            out.at.push_back(to_.axis(name_in_space(a, axes), y[a + 2]));
            out.spatial.push_back(out.at.back());
        }
        affine_index const c = to_.axis("c", y[1]);
        out.at[1] = c;
        out.spatial.push_back(c);
        std::vector<affine_index> from{n, c};
        for (std::size_t a = 0; a < axes; ++a) {
            out.over.push_back(to_.axis(name_in_window(a, axes), window.kernel[a]));
            from.push_back(under(out.at[a + 2], out.over[a], window, a));
        }
        out.value = to_.read(x, from, window.are_padded);
        if (!is_mean && window.are_padded)
            for (std::size_t a = 0; a < axes; ++a)
                out.value = to_.inside(
                    from[a + 2], x.shape[a + 2], out.value,
                    to_.literal(static_cast<double>(std::numeric_limits<float>::lowest())));
        if (is_mean) out.behind = mean_of(static_cast<double>(count_of(window.kernel)));
        return out;
    }
    [[nodiscard]] root_value softmax(task_node const& root)
    {
        task_tensor const& x = root.input(0);
        std::size_t const rank = x.shape.size();
        bool const is_old = root.opset() < 13; // all axes from this one on
        std::size_t const axis = task_node::axis_of(root.integer("axis", is_old ? 1 : -1), rank);
        root_value out{.order = full_order(x)};
        add_loops(out, x.shape);
        std::vector<affine_index> rows, over;
        for (std::size_t const a : out.order)
            (a == axis || (is_old && a > axis) ? over : rows).push_back(out.at[a]);
        std::uint32_t const element = to_.read(x, out.at);
        std::uint32_t const largest = to_.temporary(rows, element, reduction::maximum, over);
        std::uint32_t const power = to_.temporary(
            out.spatial, to_.node(nest_op::exponential, to_.subtract(element, largest)));
        std::uint32_t const total = to_.temporary(rows, power, reduction::sum, over);
        out.value = to_.divide(power, total);
        return out;
    }
    [[nodiscard]] root_value layer_norm(task_node const& root)
    {
        task_tensor const& x = root.input(0);
        if (root.has_more_outputs()) throw no_formula{"it also gives means or deviations"};
        std::size_t const rank = x.shape.size();
        std::size_t const axis = task_node::axis_of(root.integer("axis", -1), rank);
        root_value out{.order = full_order(x)};
        add_loops(out, x.shape);
        std::vector<affine_index> rows, over;
        double count = 1;
        for (std::size_t const a : out.order)
            (a >= axis ? over : rows).push_back(out.at[a]);
        for (std::size_t a = axis; a < rank; ++a)
            count *= static_cast<double>(x.shape[a]);
        std::uint32_t const element = to_.read(x, out.at);
        std::uint32_t const part = to_.literal(1 / count);
        std::uint32_t const mean =
            to_.multiply(to_.temporary(rows, element, reduction::sum, over), part);
        std::uint32_t const apart = to_.subtract(element, mean);
        std::uint32_t const squares =
            to_.temporary(rows, to_.multiply(apart, apart), reduction::sum, over);
        std::uint32_t const deviation =
            to_.node(nest_op::square_root,
                     to_.add(to_.multiply(squares, part), to_.scalar(root.real("epsilon", 1e-5F))));
        std::uint32_t const scale = to_.temporary(rows, to_.divide(to_.literal(1), deviation));
        task_elements elements(to_, out.at);
        out.value = to_.multiply(to_.multiply(apart, scale), elements.operand(root, 1));
        if (root.has(2)) out.value = to_.add(out.value, elements.operand(root, 2));
        return out;
    }

    // --- copies -------------------------------------------------------------------------------
    [[nodiscard]] root_value nearest(task_node const& root)
    {
        task_tensor const& x = root.input(0);
        task_extents const& y = root.output().shape;
        if (root.text("mode", "nearest") != "nearest") throw no_formula{"it interpolates"};
        for (std::size_t a = 0; a < y.size(); ++a)
            if (y[a] % x.shape[a] != 0) throw no_formula{"its scale is no whole number"};
        std::string const where = root.text("coordinate_transformation_mode", "half_pixel");
        std::string const way = root.text("nearest_mode", "round_prefer_floor");
        bool const is_repeat = root.op() == "Upsample" ||
                               (where == "asymmetric" && way == "floor") ||
                               (where == "half_pixel" && way == "round_prefer_floor");
        if (!is_repeat) throw no_formula{"it takes other elements than " + where + " " + way};
        root_value out{.order = full_order(x)};
        std::vector<std::string> const names = names_of_axes(y.size());
        out.at.assign(y.size(), {});
        std::vector<affine_index> from(y.size());
        for (std::size_t const a : out.order) {
            std::int64_t const scale = y[a] / x.shape[a];
            from[a] = to_.axis(names[a], x.shape[a]);
            affine_index const copy = to_.axis("r", scale);
            out.spatial.insert(out.spatial.end(), {from[a], copy});
            out.at[a] = sum_of(from[a], scale, copy);
        }
        out.value = to_.read(x, from);
        return out;
    }
    /// The sum of all inputs, which are 0 outside of their own part.
    [[nodiscard]] root_value joined(task_node const& root)
    {
        task_extents const& y = root.output().shape;
        std::size_t const axis = task_node::axis_of(root.integer("axis", 0), y.size());
        root_value out{.order = full_order(root.input(0))};
        add_loops(out, y);
        std::int64_t before = 0;
        for (std::size_t i = 0; i < root.input_count(); ++i) {
            task_tensor const& x = root.input(i);
            if (!x.flows) throw no_formula{"it joins stored numbers"};
            bool const is_whole =
                x.order() && std::any_of(x.at.begin(), x.at.end(),
                                         [&](auto const& d) { return d == index_of_axis(axis); });
            if (!is_whole) throw no_formula{"it joins parts of arrays"};
            std::vector<affine_index> at = out.at;
            at[axis].offset -= before;
            before += x.shape[axis];
            std::uint32_t const element = to_.read(x, at, true);
            out.value = i == 0 ? element : to_.add(out.value, element);
        }
        return out;
    }
    /// All elements in the order of the file.
    [[nodiscard]] root_value copy(task_node const& root)
    {
        root_value out;
        for (std::size_t i = 0; i < root.output().shape.size(); ++i)
            out.order.push_back(i);
        add_loops(out, root.output().shape);
        out.value = to_.read(root.input(0), out.at);
        return out;
    }

    std::vector<task_node> const& nodes_;
    task_group const& group_;
    std::function<std::set<std::size_t>(std::string const&)> readers_;
    task_writer to_;
    std::size_t present_ = 0; ///< number in the group of the node being written
};

} // namespace attune::inline ATTUNE_ABI::detail
