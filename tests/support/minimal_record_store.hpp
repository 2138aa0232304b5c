// tests/support/minimal_record_store.hpp - the archetype: only what the concept promises.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/record.hpp>

#include <map>
#include <string>
#include <vector>

namespace support {

/// Knows exact matches only, and can neither be copied nor moved.
class minimal_record_store {
public:
    minimal_record_store() = default;
    minimal_record_store(minimal_record_store const&) = delete;
    minimal_record_store& operator=(minimal_record_store const&) = delete;

    attune::lookup_result find(attune::record_key const& key)
    {
        auto const at = latest_.find(text_of(key));
        if (at == latest_.end()) return {};
        return {at->second, attune::record_match::exact};
    }
    void add(attune::record const& entry) { latest_[text_of(entry.key)] = entry; }
    std::vector<std::string> notices() { return {}; }

private:
    static std::vector<std::string> text_of(attune::record_key const& key)
    {
        std::vector<std::string> parts{key.kernel, key.source, key.schema, key.compiler,
                                       key.device};
        for (auto const* const texts : {&key.inputs, &key.setting}) {
            for (auto const& [name, value] : *texts) {
                parts.push_back(name);
                parts.push_back(value);
            }
            parts.emplace_back();
        }
        return parts;
    }

    std::map<std::vector<std::string>, attune::record> latest_;
};

} // namespace support
