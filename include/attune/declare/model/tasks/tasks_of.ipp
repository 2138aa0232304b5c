// attune/declare/model/tasks/tasks_of.ipp - walks groups and views of a graph, and finds calls with one nest.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/declare/model/onnx/detail/onnx_file.hpp>
#include <attune/declare/model/onnx/read_onnx.hpp>
#include <attune/declare/model/tasks/detail/task_graph.hpp>
#include <attune/declare/model/tasks/detail/task_roots.hpp>
#include <attune/declare/model/tasks/detail/task_tensor.hpp>
#include <attune/declare/model/tasks/detail/task_writer.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Operations of one run of a nest; a multiply-add counts as two.
[[nodiscard]] inline double operations_of_nest(nest_description const& nest)
{
    double out = 0;
    for (nest_statement const& statement : nest.statements) {
        double steps = 1;
        for (std::uint32_t const axis : statement.axes)
            steps *= static_cast<double>(nest.axes[axis].extent.constant);
        out += steps * operations_of(nest, statement).total();
    }
    return out;
}

[[nodiscard]] inline bool is_same_nest(nest_description const& a, nest_description const& b)
{
    auto const all = [](auto const& x, auto const& y, auto const& is_same) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), is_same);
    };
    return a.accesses == b.accesses && a.nodes == b.nodes &&
           all(a.axes, b.axes,
               [](nest_axis const& x, nest_axis const& y) {
                   return x.name == y.name && x.extent == y.extent;
               }) &&
           all(a.arrays, b.arrays,
               [](nest_array const& x, nest_array const& y) {
                   return x.name == y.name && x.role == y.role && x.extents == y.extents &&
                          x.is_constant == y.is_constant;
               }) &&
           all(a.statements, b.statements, [](nest_statement const& x, nest_statement const& y) {
               return x.target == y.target && x.axes == y.axes &&
                      x.spatial_count == y.spatial_count && x.combine == y.combine &&
                      x.value == y.value;
           });
}

/// Finds the tasks of one graph.
class task_finder {
public:
    task_finder(onnx_graph file, std::string source)
        : file_(std::move(file))
        , source_(source.empty() ? file_.name : std::move(source))
    {
    }

    [[nodiscard]] model_tasks find(tasks_options const& options)
    {
        give_shapes(options);
        std::vector<std::size_t> layers_after;
        onnx_network const net = network_of(file_, source_, layers_after);
        // An operator without a formula leaves other groups behind: start anew without it.
        while (!walk(net)) {
        }
        model_tasks out = joined();
        add_outside(out, net, layers_after);
        for (onnx_input const& in : file_.inputs)
            if (tensors_.at(in.name).flows)
                out.inputs.push_back({in.name, in.name, tensors_.at(in.name).shape});
        for (std::string const& name : file_.outputs) {
            auto const copy = results_.find(name);
            task_tensor const& of = copy == results_.end() ? tensors_.at(name) : copy->second;
            out.outputs.push_back({name, of.base, of.shape});
        }
        return out;
    }

private:
    /// A group with its nest.
    struct written_group {
        task_group group{};
        task_call call{};
        written_task task{};
    };

    void give_shapes(tasks_options const& options)
    {
        for (auto const& [name, extents] : options.shapes)
            if (std::none_of(file_.inputs.begin(), file_.inputs.end(),
                             [&](onnx_input const& in) { return in.name == name; }))
                throw error("a shape is given for " + name + ", which is no input", source_,
                            "its inputs are " + names_of_inputs());
        for (onnx_input& in : file_.inputs) {
            auto const given = options.shapes.find(in.name);
            if (given != options.shapes.end()) {
                if (in.shape && in.shape->size() != given->second.size())
                    throw error("the shape of the input " + in.name + " has " +
                                    std::to_string(given->second.size()) + " extents, not " +
                                    std::to_string(in.shape->size()),
                                source_, "give one for each axis");
                std::vector<onnx_axis> shape;
                for (std::size_t i = 0; i < given->second.size(); ++i) {
                    std::int64_t const extent = given->second[i];
                    auto const own = in.shape ? (*in.shape)[i].extent : std::nullopt;
                    if (extent < 1 || (own && *own != extent))
                        throw error("the input " + in.name + " cannot have the extent " +
                                        std::to_string(extent) + " on axis " + std::to_string(i),
                                    source_,
                                    own ? "the file has " + std::to_string(*own) + " there"
                                        : "give a number above 0");
                    shape.push_back({extent, ""});
                }
                in.shape = std::move(shape);
                continue;
            }
            std::string extents;
            bool is_known = in.shape.has_value();
            for (std::size_t i = 0; in.shape && i < in.shape->size(); ++i) {
                onnx_axis const& axis = (*in.shape)[i];
                is_known = is_known && axis.extent;
                extents += (i == 0 ? "" : "x") + (axis.extent ? std::to_string(*axis.extent) : "?");
            }
            if (!is_known)
                throw error("the input " + in.name + " has no fixed shape: " + extents, source_,
                            "give its extents: --shape " + in.name + '=' + extents +
                                " with numbers for each ?, or tasks_options::shapes");
        }
    }
    [[nodiscard]] std::string names_of_inputs() const
    {
        std::string out;
        for (onnx_input const& in : file_.inputs)
            out += (out.empty() ? "" : ", ") + in.name;
        return out;
    }

    // --- one walk -----------------------------------------------------------------------------
    /// @return  false if an operator has no formula; refused_ then has its name
    [[nodiscard]] bool walk(onnx_network const& net)
    {
        read_tensors(net);
        nodes_.clear();
        // The walk adds copies while references to nodes are in use.
        nodes_.reserve(2 * file_.nodes.size() + file_.outputs.size());
        groups_.clear();
        copies_.clear();
        std::vector<bool> is_root;
        for (onnx_node const& node : file_.nodes) {
            nodes_.emplace_back(node, tensors_, file_.opset);
            task_node const& made = nodes_.back();
            bool const is_here = flows(node);
            if (!is_here)
                fold(made, node);
            else
                set_type(made, node);
            is_root.push_back(is_here && !made.output_name().empty() &&
                              !is_memory_view(made.op()) && made.is_float() &&
                              task_roots::has(made.op()) && !refused_.contains(made.name()));
        }
        task_fusion fusion(nodes_, is_root, {file_.outputs.begin(), file_.outputs.end()});
        std::vector<task_group> const groups = fusion.groups();
        readers_ = [&fusion](std::string const& name) { return fusion.readers(name); };
        std::size_t next = 0;
        for (std::size_t n = 0; n < file_.nodes.size(); ++n) {
            if (!flows(file_.nodes[n])) continue;
            if (next < groups.size() && groups[next].nodes.back() == n) {
                if (!write(groups[next++])) return false;
            } else if (is_memory_view(nodes_[n].op()) && !refused_.contains(nodes_[n].name())) {
                if (!view(nodes_[n])) return false;
            } else if (!is_root[n]) {
                for (std::string const& name : nodes_[n].outputs())
                    if (!name.empty()) tensors_.at(name).hold_in_order(name);
            }
        }
        results_.clear();
        for (std::string const& name : file_.outputs) {
            task_tensor const& out = tensors_.at(name);
            if (out.flows && out.is_float && !out.is_in_order() && !results_.contains(name))
                results_.emplace(name, copied(out, name));
        }
        write_literals();
        return true;
    }

    void read_tensors(onnx_network const& net)
    {
        tensors_.clear();
        for (auto const& [name, shape] : net.shapes) {
            task_tensor& made = tensors_[name];
            for (model::quantity const& extent : shape) {
                if (!extent.constant())
                    throw error("the shape of " + name + " is known when it runs, not before",
                                source_, "export the model with fixed shapes");
                made.shape.push_back(*extent.constant());
            }
            made.flows = net.tensors.contains(name);
        }
        for (auto const& [name, array] : file_.stored)
            give_numbers(tensors_.at(name), array);
        for (onnx_input const& in : file_.inputs) {
            task_tensor& made = tensors_.at(in.name);
            made.is_float = in.is_floating && in.bytes == 4;
            made.hold_in_order(in.name);
        }
    }
    static void give_numbers(task_tensor& to, onnx_array const& from)
    {
        to.is_float = from.is_floating && from.bytes == 4;
        if (from.numbers) to.numbers = std::make_shared<std::vector<float> const>(*from.numbers);
        if (!from.is_floating) to.whole = from.contents;
    }
    [[nodiscard]] bool flows(onnx_node const& node) const
    {
        for (std::string const& name : node.outputs)
            if (!name.empty() && tensors_.at(name).flows) return true;
        return false;
    }
    /// The element type of what a node computes.
    void set_type(task_node const& made, onnx_node const& node)
    {
        static std::set<std::string> const of_truths = {
            "Equal", "Greater", "Less",  "GreaterOrEqual", "LessOrEqual", "And",   "Or",     "Not",
            "Xor",   "IsNaN",   "IsInf", "ArgMax",         "ArgMin",      "Shape", "NonZero"};
        bool is_float = !of_truths.contains(node.op);
        if (node.op == "Cast")
            is_float = made.integer("to", 0) == 1;
        else if (is_float && node.op != "ConstantOfShape" && !node.inputs.empty()) {
            std::size_t const typed = node.op == "Where" ? 1 : 0;
            if (made.has(typed)) is_float = made.input(typed).is_float;
        }
        for (std::string const& name : node.outputs)
            if (!name.empty()) tensors_.at(name).is_float = is_float;
    }
    /// The numbers of a node that depends on no input: constants, and other shapes of them.
    void fold(task_node const& made, onnx_node const& node)
    {
        if (node.outputs.empty() || node.outputs.front().empty()) return;
        task_tensor& out = made.output();
        if (node.op == "Constant") {
            if (auto const* const a = made.find("value"); a != nullptr && a->array)
                give_numbers(out, *a->array);
            else if (auto const* const f = made.find("value_float"); f != nullptr && f->real)
                out.numbers =
                    std::make_shared<std::vector<float> const>(1, static_cast<float>(*f->real));
            else if (auto const* const fs = made.find("value_floats"); fs != nullptr)
                out.numbers =
                    std::make_shared<std::vector<float> const>(fs->reals.begin(), fs->reals.end());
            else if (auto const* const i = made.find("value_int"); i != nullptr && i->integer)
                out.whole = task_extents{*i->integer};
            else if (auto const* const is = made.find("value_ints"); is != nullptr)
                out.whole = is->integers;
            return;
        }
        if (node.inputs.empty() || !made.has(0)) return;
        task_tensor const& in = made.input(0);
        bool const keeps = node.op == "Reshape" || node.op == "Squeeze" || node.op == "Unsqueeze" ||
                           node.op == "Flatten" || node.op == "Identity";
        if (keeps || (node.op == "Cast" && in.whole)) {
            out.numbers = in.numbers;
            out.whole = in.whole;
        } else if (node.op == "Transpose" && in.numbers) {
            std::vector<std::size_t> order;
            for (std::int64_t const axis : permutation_of(made))
                order.push_back(static_cast<std::size_t>(axis));
            out.numbers =
                std::make_shared<std::vector<float> const>(permuted(*in.numbers, in.shape, order));
        } else if (node.op == "Sqrt" && in.numbers) { // of the width of an attention's heads
            std::vector<float> roots = *in.numbers;
            for (float& number : roots)
                number = std::sqrt(number);
            out.numbers = std::make_shared<std::vector<float> const>(std::move(roots));
        }
    }
    [[nodiscard]] static task_extents permutation_of(task_node const& node)
    {
        task_extents reversed;
        for (std::size_t i = node.input(0).shape.size(); i-- > 0;)
            reversed.push_back(static_cast<std::int64_t>(i));
        return node.list("perm", reversed);
    }

    /// @return  false if the group has no formula
    [[nodiscard]] bool write(task_group const& group)
    {
        written_group made{.group = group};
        task_node const& last = nodes_[group.nodes.back()];
        task_roots formula(nodes_, group, readers_, {});
        try {
            made.task = formula.write();
        } catch (no_formula const& why) {
            refused_[nodes_[formula.refused()].name()] = why.reason;
            return false;
        }
        for (std::size_t const n : group.nodes)
            made.call.nodes.push_back(nodes_[n].name());
        made.call.output = last.output_name();
        groups_.push_back(std::move(made));
        return true;
    }

    /// A node whose result is another index into the memory of its input.
    /// @return  false if there is no such index, nor a copy
    [[nodiscard]] bool view(task_node const& node)
    {
        try {
            if (node.output_name().empty()) throw no_formula{"its first output has no name"};
            task_tensor const& x = node.input(0);
            if (node.op() == "Transpose") {
                take(node.output_name(), transposed(x, permutation_of(node)));
            } else if (node.op() == "Slice") {
                take(node.output_name(), slice_of(node));
            } else if (node.op() == "Split") {
                split(node);
            } else if (node.op() == "Expand") {
                expand(node);
            } else {
                task_extents const& shape = node.output().shape;
                std::optional<task_tensor> made = reshaped(x, shape);
                if (!made && x.is_float) made = reshaped(copied(x, node.output_name()), shape);
                if (!made) throw no_formula{"its numbers are not of float"};
                take(node.output_name(), *made);
            }
        } catch (no_formula const& why) {
            refused_[node.name()] = why.reason;
            return false;
        }
        return true;
    }
    void take(std::string const& name, task_tensor view) { tensors_.at(name) = std::move(view); }
    [[nodiscard]] task_tensor slice_of(task_node const& node) const
    {
        task_tensor out = node.input(0);
        std::size_t const rank = out.shape.size();
        auto const starts = node.list("starts", 1);
        std::optional<task_extents> axes = node.list("axes", 3);
        std::optional<task_extents> steps;
        if (node.has(4)) steps = node.input(4).whole;
        if (!starts || (node.has(3) && !axes) || (node.has(4) && !steps))
            throw no_formula{"its part is known when it runs, not before"};
        for (std::size_t i = 0; i < starts->size(); ++i) {
            std::size_t const axis = axes ? task_node::axis_of((*axes)[i], rank) : i;
            std::int64_t const extent = out.shape[axis];
            std::int64_t const step = steps ? (*steps)[i] : 1;
            std::int64_t start = (*starts)[i] < 0 ? (*starts)[i] + extent : (*starts)[i];
            start = std::clamp<std::int64_t>(start, 0, step < 0 ? extent - 1 : extent);
            out = sliced(out, axis, start, step, node.output().shape[axis]);
        }
        return out;
    }
    void split(task_node const& node)
    {
        task_tensor const x = node.input(0);
        std::size_t const axis = task_node::axis_of(node.integer("axis", 0), x.shape.size());
        std::int64_t start = 0;
        for (std::string const& name : node.outputs()) {
            if (name.empty()) throw no_formula{"one of its parts has no name"};
            std::int64_t const extent = tensors_.at(name).shape[axis];
            take(name, sliced(x, axis, start, 1, extent));
            start += extent;
        }
    }
    void expand(task_node const& node)
    {
        task_tensor out = node.input(0);
        task_extents const& shape = node.output().shape;
        std::vector<affine_index> result;
        for (std::size_t i = 0; i < shape.size(); ++i)
            result.push_back(index_of_axis(i));
        std::vector<affine_index> const with = repeated(out.shape, result);
        for (affine_index& index : out.at)
            index = composed(index, with);
        out.shape = shape;
        take(node.output_name(), out);
    }
    /// Adds a task that copies an array into the order of the file.
    [[nodiscard]] task_tensor copied(task_tensor const& x, std::string const& name)
    {
        std::string const from = name + ".from";
        tensors_[from] = x;
        std::string const to = name + ".copy";
        tensors_[to] = x;
        copies_.push_back(
            {.name = name, .op = "Copy", .inputs = {from}, .outputs = {to}, .attributes = {}});
        nodes_.emplace_back(copies_.back(), tensors_, file_.opset);
        if (!write({{nodes_.size() - 1}})) throw no_formula{"its order has no copy"};
        return tensors_.at(to);
    }

    // --- calls with one nest ------------------------------------------------------------------
    /// Writes numbers that are equal in all calls of a task as literals.
    void write_literals()
    {
        classes_.clear();
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            auto const same = std::find_if(classes_.begin(), classes_.end(), [&](auto const& c) {
                return is_same_nest(groups_[c.front()].task.nest, groups_[g].task.nest);
            });
            if (same == classes_.end())
                classes_.push_back({g});
            else
                same->push_back(g);
        }
        for (std::vector<std::size_t> const& same : classes_) {
            std::vector<float> const& first = groups_[same.front()].task.scalars;
            scalar_choice is_literal(first.size(), true);
            for (std::size_t const g : same)
                for (std::size_t s = 0; s < first.size(); ++s)
                    if (groups_[g].task.scalars[s] != first[s]) is_literal[s] = false;
            if (std::find(is_literal.begin(), is_literal.end(), true) == is_literal.end()) continue;
            for (std::size_t const g : same)
                groups_[g].task =
                    task_roots(nodes_, groups_[g].group, readers_, is_literal).write();
        }
    }

    [[nodiscard]] model_tasks joined()
    {
        model_tasks out;
        out.name = file_.name;
        std::map<std::string, int> names;
        for (std::vector<std::size_t> const& same : classes_) {
            written_group const& first = groups_[same.front()];
            model_task made;
            made.nest = first.task.nest;
            made.input_count = first.task.inputs.size();
            made.constant_count = first.task.constants.size();
            made.operations = operations_of_nest(made.nest);
            std::string last;
            for (std::size_t const n : first.group.nodes) {
                std::string const& op = nodes_[n].op();
                if (op != last) made.operators += (made.operators.empty() ? "" : " ") + op;
                last = op;
            }
            made.name = name_of(nodes_[first.group.nodes.front()].op(), made.nest);
            if (int const known = names[made.name]++; known > 0)
                made.name += '_' + std::to_string(known + 1);
            made.nest.name = made.name;
            for (std::size_t const g : same) {
                task_call call = groups_[g].call;
                call.inputs = groups_[g].task.inputs;
                call.constants = groups_[g].task.constants;
                call.place = g;
                made.calls.push_back(std::move(call));
            }
            out.tasks.push_back(std::move(made));
        }
        sort_stably(out.tasks, [](model_task const& a, model_task const& b) {
            return a.operations * static_cast<double>(a.calls.size()) >
                   b.operations * static_cast<double>(b.calls.size());
        });
        return out;
    }
    /// "conv_80x80x48_over_3x3": extents of the result, and those that it reduces.
    [[nodiscard]] static std::string name_of(std::string const& op, nest_description const& nest)
    {
        std::string over;
        for (nest_statement const& s : nest.statements)
            for (std::size_t a = s.spatial_count; a < s.axes.size() && over.size() < 20; ++a)
                over += (over.empty() ? "_over_" : "x") +
                        std::to_string(nest.axes[s.axes[a]].extent.constant);
        std::string out = in_small_letters(op);
        char const* between = "_";
        for (nest_array const& array : nest.arrays)
            if (array.role == nest_role::written)
                for (nest_extent const& extent : array.extents) {
                    out += between + std::to_string(extent.constant);
                    between = "x";
                }
        return out + over;
    }

    void add_outside(model_tasks& out, onnx_network const& net,
                     std::vector<std::size_t> const& layers_after)
    {
        std::set<std::string> inside;
        for (written_group const& group : groups_)
            inside.insert(group.call.nodes.begin(), group.call.nodes.end());
        for (std::size_t n = 0; n < file_.nodes.size(); ++n) {
            onnx_node const& node = file_.nodes[n];
            bool const is_refused = refused_.contains(node.name);
            if (!flows(node) || inside.contains(node.name)) continue;
            if (is_memory_view(node.op) && !is_refused) continue;
            std::string const reason =
                is_refused                     ? refused_.at(node.name)
                : !task_roots::has(node.op)    ? "the operator " + node.op + " has no formula here"
                : node.outputs.front().empty() ? "its first output has no name"
                                               : "its numbers are not of float";
            auto at = std::find_if(out.outside.begin(), out.outside.end(), [&](auto const& known) {
                return known.op == node.op && known.reason == reason;
            });
            if (at == out.outside.end())
                at = out.outside.insert(at, {.op = node.op, .nodes = {}, .reason = reason});
            at->nodes.push_back(node.name);
            for (std::size_t s = n == 0 ? 0 : layers_after[n - 1]; s < layers_after[n]; ++s) {
                model::layer_cost const& cost = net.net.graph().steps[s].cost;
                at->operations +=
                    2 * static_cast<double>(cost.multiply_adds.constant().value_or(0)) +
                    static_cast<double>(cost.operations.constant().value_or(0));
            }
        }
    }

    onnx_graph file_;
    std::string source_;
    std::map<std::string, task_tensor> tensors_;
    std::map<std::string, task_tensor> results_; ///< copies of outputs in the order of the file
    std::vector<task_node> nodes_;
    std::deque<onnx_node> copies_;
    std::function<std::set<std::size_t>(std::string const&)> readers_;
    std::vector<written_group> groups_;
    std::vector<std::vector<std::size_t>> classes_; ///< of groups with one nest
    std::map<std::string, std::string> refused_;    ///< names of nodes, with reasons
};

} // namespace detail

ATTUNE_INLINE double model_tasks::operations() const
{
    double out = 0;
    for (model_task const& task : tasks)
        out += task.operations * static_cast<double>(task.calls.size());
    for (outside_operator const& one : outside)
        out += one.operations;
    return out;
}

ATTUNE_INLINE double model_tasks::covered() const
{
    double const all = operations();
    double rest = 0;
    for (outside_operator const& one : outside)
        rest += one.operations;
    return all > 0 ? 1 - rest / all : 1;
}

ATTUNE_INLINE model_tasks tasks_of_bytes(std::string_view bytes, tasks_options const& options,
                                         std::string const& source)
{
    return detail::task_finder(detail::onnx_parser(source, true).parse(bytes), source)
        .find(options);
}

ATTUNE_INLINE model_tasks tasks_of(std::string const& path, tasks_options const& options)
{
    return tasks_of_bytes(detail::bytes_of_onnx_file(path), options, path);
}

} // namespace attune::inline ATTUNE_ABI
