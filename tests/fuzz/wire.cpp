// tests/fuzz/wire.cpp - no message of the other end crashes a program or its worker.
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/clocks.ipp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.ipp>
#include <attune/measure/device/worker/worker_protocol.ipp>
#include <attune/measure/device/worker/worker_wire.ipp>
#include <attune/measure/message/message_values.ipp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace worker = attune::detail::worker;

namespace {

/// The bytes as they come from a socket that is closed behind them.
void receive_all(std::string_view bytes)
{
    auto [here, there] = worker::make_connection();
    if (bytes.size() > 100'000 ||
        ::send(there.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
            static_cast<ssize_t>(bytes.size()))
        return;
    there = worker::descriptor();
    worker::message got;
    while (worker::receive(here.get(), got, 1e300) == worker::transfer::done) {
    }
}

/// A message of this process's own, as the other end takes it apart.
void take_apart(unsigned kind, std::string_view text)
{
    attune::detail::message_reader from(text);
    switch (kind % 8) {
    case 0: {
        if (!attune::detail::is_flat_array(text)) break;
        nlohmann::json values = nlohmann::json::from_cbor(text, true, false);
        if (!values.is_array()) break;
        std::string const mark = worker::own_mark();
        values.insert(values.begin(),
                      nlohmann::json::binary(std::vector<std::uint8_t>(mark.begin(), mark.end())));
        std::string all;
        nlohmann::json::to_cbor(values, all);
        attune::detail::message_reader from_begin(all);
        worker::beginning const how = worker::get_beginning(from_begin);
        attune::detail::message_writer again;
        put(again, how);
        break;
    }
    case 1:
        static_cast<void>(worker::get_variant(from).launch.threads_per_block());
        break;
    case 2:
        static_cast<void>(worker::get_first_run_result(from));
        break;
    case 3:
        static_cast<void>(attune::detail::get_outcome(from));
        break;
    case 4: {
        attune::timing_record const taken = worker::get_timing(from);
        if (!taken.times.empty()) static_cast<void>(attune::detail::estimate_of(taken));
        break;
    }
    case 5: {
        auto const all = worker::get_comparison(from);
        auto const* const times = std::get_if<attune::round_times>(&all);
        if (times != nullptr && times->size() > 1 && times->rounds(0) > 0 && times->rounds(1) > 0)
            static_cast<void>(times->ratio(0, 1));
        break;
    }
    case 6:
        static_cast<void>(std::string(worker::get_thrown(from).what()));
        break;
    default: {
        worker::message m;
        if (text.size() > 8) {
            worker::shared_memory memory(text.size() / 2);
            m.bulk = memory.take_file();
            m.bulk_bytes = text.size() % 3 == 0 ? text.size() : text.size() / 2;
        }
        static_cast<void>(worker::get_arrays(m, from));
    }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    if (size == 0) return 0;
    std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    try {
        if (data[0] >= 200)
            receive_all(text);
        else
            take_apart(data[0], text);
    } catch (attune::detail::damaged_message const&) {
    }
    return 0;
}
