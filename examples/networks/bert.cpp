// bert - the encoder of BERT-base from its mathematics, tuned on one budget, then run.
// Shows the time of a whole network. `bert --full` takes 128 tokens and 12 blocks,
// without words 16 and 2, in seconds; `--evaluations N --seconds N`
// is the budget, `--repeats 10 --runs 1000` the timing.
#include "bert.hpp"
#include "run.hpp"

int main(int count, char** text)
{
    return networks::with_request(
        count, text, {.evaluations = 24, .seconds = 5}, [](networks::request const& asked) {
            return asked.is_full
                       ? networks::show<networks::bert<128, 12>>("bert, 128 tokens", asked)
                       : networks::show<networks::bert<16, 2>>("bert, 16 tokens", asked);
        });
}
// prints:
// bert, 16 tokens: 18 calls of 8 layers, # G multiplications
// together: *
// latency # ms (# to #), median of 5 x 2 runs: # GFLOP/s
// right: all results within # of the plain nests'
