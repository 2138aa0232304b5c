// attune/compile/nvrtc/detail/headers.hpp - folders for headers that NVRTC has parsed.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide, precompiled headers: valid only in the process that made them
#pragma once

#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/nvrtc/options.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Folders for parsed headers, one per #include block, removed with this object. Thread-safe.
class parsed_device_headers {
public:
    /// @return  the folder of a block; empty when it cannot be made or NVRTC could not use it
    [[nodiscard]] std::string place_for(std::string const& block)
    {
        std::lock_guard const lock(mutex_);
        try {
            if (!folder_) folder_ = std::make_unique<temporary_folder>();
        } catch (error const&) {
            return {}; // the kernel compiles without parsed headers
        }
        std::string const place = folder_->path() + '/' + block;
        std::error_code failed;
        std::filesystem::create_directory(place, failed);
        return failed || given_up_.contains(place) ? std::string{} : place;
    }

    /// Counts a run of NVRTC that was given `place`.
    void note(std::string const& place, nvrtc_reply const& reply)
    {
        std::lock_guard const lock(mutex_);
        if (reply.reused_headers) {
            ++counts_.reused;
        } else if (reply.headers == nvrtc::success) {
            ++counts_.created;
        } else if (reply.result == nvrtc::success) {
            ++counts_.failed;
            given_up_.insert(place);
        }
    }

    [[nodiscard]] header_statistics counts()
    {
        std::lock_guard const lock(mutex_);
        return counts_;
    }

private:
    std::mutex mutex_{};
    std::unique_ptr<temporary_folder> folder_{};
    std::set<std::string> given_up_{}; ///< folders of blocks that NVRTC could not keep
    header_statistics counts_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
