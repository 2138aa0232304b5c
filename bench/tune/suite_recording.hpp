// bench/tune/suite_recording.hpp - the outcomes of a kernel's random configurations as a T4 file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/search/random.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/scratch_folder.hpp"

namespace bench {

/// Kernels recorded into a folder: NAME.json for each, and experts.json, the milliseconds of the
/// experts' configurations, as bench.search.protocol --experts reads it.
class suite_recording {
public:
    /// @param folder  is made where it is missing, when the first file is written
    explicit suite_recording(std::string folder)
        : folder_(std::move(folder))
    {
    }

    /// Measures the default and `evaluations` - 1 random configurations, and writes their outcomes.
    /// @param  also(tuned)  is called when they are measured
    /// @return  how many were measured
    /// Errors  std::runtime_error: the file cannot be written
    template <class Kernel, class Compiler, class Also>
    std::size_t add(Kernel& problem, Compiler const& compiler, std::uint32_t evaluations,
                    std::uint64_t seed, Also const& also)
    {
        scratch_folder const scratch(std::filesystem::temp_directory_path().string());
        std::string const file = scratch.path() + "/recorded.attune";
        std::size_t outcomes = 0;
        {
            attune::tuned tuned{
                Kernel::kernel(),
                compiler,
                attune::store{file},
                {.limits = {.evaluations = evaluations},
                 .search = {.strategy = attune::search_with<attune::random_searcher>(),
                            .seed = seed},
                 .progress = attune::silent_progress()}};
            problem.call(tuned);
            outcomes = tuned.report().evaluations;
            also(tuned);
        }
        attune::store kept{file};
        std::vector<attune::exported_results> const all = attune::export_t4(kept, Kernel::name);
        if (all.size() != 1)
            throw std::runtime_error(std::string(Kernel::name) + ": recorded as " +
                                     std::to_string(all.size()) + " problems, not as one");
        write(Kernel::name, all.front().text);
        return outcomes;
    }

    void note_expert(std::string const& kernel, double ms) { experts_[kernel] = ms; }
    /// Errors  std::runtime_error: the file cannot be written
    void write_experts() const
    {
        std::string text = "{";
        for (auto const& [kernel, ms] : experts_)
            text += (text.size() > 1 ? ", \"" : "\"") + kernel + "\": " + std::to_string(ms);
        write("experts", text + "}\n");
    }

private:
    void write(std::string const& name, std::string const& text) const
    {
        std::filesystem::create_directories(folder_);
        std::string const path = folder_ + "/" + name + ".json";
        std::ofstream out(path);
        out << text;
        if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
    }

    std::string folder_;
    std::map<std::string, double> experts_;
};

} // namespace bench
