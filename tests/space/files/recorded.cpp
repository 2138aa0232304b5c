// tests/space/files/recorded.cpp : spaces of recordings have exactly the configurations recorded
// SPDX-License-Identifier: MIT
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "../../support/data_folder.hpp"
#include "../../support/recorded_file.hpp"

TEST_CASE("every complete recording has a row for each valid configuration and for no other")
{
    namespace fs = std::filesystem;
    fs::path const folder = fs::path(attune_tests::data_folder()) / "recorded";
    std::error_code problem;
    std::vector<std::string> files;
    for (fs::directory_entry const& entry : fs::directory_iterator(folder, problem))
        if (entry.path().string().ends_with(".csv.gz")) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    if (files.empty())
        MESSAGE("skipped: no recording in " << folder.string()
                                            << "; set ATTUNE_DATA to its parent");
    for (std::string const& file : files) {
        CAPTURE(file);
        attune_tests::recorded_file const recorded = attune_tests::read_recorded(file);
        if (recorded.rows.empty()) {
            MESSAGE("skipped: gzip cannot unpack " << file);
            continue;
        }
        if (!recorded.is_complete()) {
            MESSAGE("skipped: " << file << " does not say that it is complete");
            continue;
        }
        attune::chain_of_trees const chain(recorded.space);
        std::unordered_set<attune::point, attune::point_hash> const rows(recorded.rows.begin(),
                                                                         recorded.rows.end());
        CHECK(rows.size() == recorded.rows.size()); // none twice
        CHECK(chain.size() == attune::leaf_count{rows.size()});
        std::size_t missing = 0;
        for (attune::point const& row : rows)
            missing += chain.contains(row) ? 0U : 1U;
        CHECK(missing == 0);
    }
}
