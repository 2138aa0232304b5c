// tests/support/model_run.hpp - computes a graph by its tasks, one call after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/model/tasks/tasks_of.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace support {

using model_values = std::map<std::string, std::vector<float>>;

/// Number of elements of a nest's array.
[[nodiscard]] inline std::size_t elements_of(attune::nest_array const& array)
{
    std::size_t out = 1;
    for (attune::nest_extent const& extent : array.extents)
        out *= static_cast<std::size_t>(extent.constant);
    return out;
}

/// @param values  the inputs of the graph, by name
/// @param run     run(task, arrays that it reads in the order of the nest, array that it writes)
/// @return        all arrays that calls wrote, and the inputs
template <class Run>
[[nodiscard]] model_values run_model(attune::model_tasks const& model, model_values values,
                                     Run const& run)
{
    struct step {
        attune::model_task const* task;
        attune::task_call const* call;
    };
    std::vector<step> steps;
    for (attune::model_task const& task : model.tasks)
        for (attune::task_call const& call : task.calls)
            steps.push_back({&task, &call});
    std::sort(steps.begin(), steps.end(),
              [](step const& a, step const& b) { return a.call->place < b.call->place; });
    for (step const& one : steps) {
        std::vector<float const*> reads;
        for (std::string const& name : one.call->inputs) {
            if (!values.contains(name))
                throw std::runtime_error(one.task->name + " reads " + name +
                                         ", which no task has written");
            reads.push_back(values.at(name).data());
        }
        for (attune::model_numbers const& numbers : one.call->constants)
            reads.push_back(numbers->data());
        attune::nest_array const& written = one.task->nest.arrays.at(reads.size());
        std::vector<float> out(elements_of(written));
        run(*one.task, reads, out.data());
        values[one.call->output] = std::move(out);
    }
    return values;
}

} // namespace support
