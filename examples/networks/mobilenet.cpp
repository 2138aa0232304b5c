// mobilenet - MobileNet from its mathematics, all layers tuned on one budget, then run.
// Shows the time of a whole network. `mobilenet --full` takes the image of 224x224
// pixels, without words a small one, in seconds; `--evaluations N --seconds N`
// is the budget, `--repeats 10 --runs 1000` the timing.
#include "mobilenet.hpp"
#include "run.hpp"

int main(int count, char** text)
{
    return networks::with_request(
        count, text, {.evaluations = 44, .seconds = 5}, [](networks::request const& asked) {
            return asked.is_full
                       ? networks::show<networks::mobilenet<224>>("mobilenet 224x224x3", asked)
                       : networks::show<networks::mobilenet<32>>("mobilenet 32x32x3", asked);
        });
}
// prints:
// mobilenet 32x32x3: 30 calls of 22 layers, # G multiplications
// together: *
// latency # ms (# to #), median of 5 x 2 runs: # GFLOP/s
// right: all results within # of the plain nests'
