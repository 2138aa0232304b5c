// bench/tune/rival_process.hpp - functions of another process as contestants: libraries, MetaSchedule.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contest.hpp"
#include "served_functions.hpp"

namespace bench {

/// A process that has functions for layers, or none.
class rival_process {
public:
    rival_process() = default;
    explicit rival_process(std::vector<std::string> command)
        : process_(std::make_shared<served_functions>(std::move(command)))
    {
    }

    /// What it has for a layer; why it has nothing goes to stderr. They hold until the next call.
    [[nodiscard]] std::vector<contestant> of(std::string const& layer) const
    {
        std::vector<contestant> out;
        if (process_ == nullptr) return out;
        try {
            for (std::string const& label : process_->load(layer)) {
                (void)process_->seconds(label, 1);
                out.push_back({label, [process = process_, label](std::size_t calls) {
                                   return process->seconds(label, calls);
                               }});
            }
        } catch (std::exception const& why) {
            std::fprintf(stderr, "%s: %s\n", layer.c_str(), why.what());
        }
        return out;
    }

private:
    std::shared_ptr<served_functions> process_;
};

} // namespace bench
