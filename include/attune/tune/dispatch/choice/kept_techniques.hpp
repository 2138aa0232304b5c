// attune/tune/dispatch/choice/kept_techniques.hpp - what techniques gained, in a file that tunings share.
// SPDX-License-Identifier: MIT
// tested by tune/dispatch/choice/kept_techniques.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/meta/technique_use.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The file of tuning_search::techniques, as one kernel sees it.
class kept_techniques {
public:
    /// @param kernel  the label of what is kept
    kept_techniques(std::string const& path, std::string kernel, description const& space)
        : file_(path, "techniques: label, structure, searches, then name, requests, new bests")
        , kernel_(std::move(kernel))
        , structure_(search::structure_of(space))
    {
    }

    /// The last 100,000 searches in the file, those of this kernel too.
    [[nodiscard]] search::technique_history all()
    {
        return search::read_history(file_.last(100'000));
    }
    /// Adds one search, unless it asked no technique.
    /// @param gain  time of the default divided by that of the best; 0: unknown
    void keep(std::span<search::technique_use const> uses, double gain = 0)
    {
        std::string const line = line_of(uses, gain);
        if (!line.empty()) add_lines(line);
    }
    /// What keep() adds, with its line end; empty: it adds nothing.
    [[nodiscard]] std::string line_of(std::span<search::technique_use const> uses,
                                      double gain = 0) const
    {
        search::representation searched{.label = kernel_, .structure = structure_};
        for (search::technique_use const& use : uses)
            if (use.requests > 0) searched.uses.push_back(use);
        if (gain > 0) searched.gains.add(gain);
        return searched.uses.empty() ? std::string() : search::history_line(searched) + '\n';
    }
    /// Adds lines of history_line(), each with its line end: searches of any kernels.
    void add_lines(std::string_view lines) { file_.add(lines); }
    /// Why the file was not used; empty: it was.
    [[nodiscard]] std::string const& problem() const noexcept { return file_.problem(); }

private:
    sample_file file_;
    std::string kernel_;
    search::space_structure structure_;
};

} // namespace attune::inline ATTUNE_ABI::detail
