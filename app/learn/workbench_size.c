// workbench_size.c - how large a model is, and how fast this machine, by command.
#include "app/learn/workbench.h"

#include <stdio.h>

#include "app/machine_speed.h"
#include "engine/devices/device.h"

// Of the product that says how fast this machine is.
enum { PRODUCT_SIZE = 512 };
static const double MEASURE_SECONDS = 0.05;

static bool measure_here(SizePlan *plan, Error *err) {
    Device *device = device_open(NULL, 0, NULL, err);
    if (device == NULL) {
        return false;
    }
    plan->flops = machine_speed_flops(device, PRODUCT_SIZE, MEASURE_SECONDS);
    device_close(device);
    return true;
}

bool workbench_do_distances(Workbench *bench, const Command *command, Error *err) {
    (void)command;
    Distances distances;
    char seconds[24];
    if (!distances_measure(&distances, bench->playground.progress, err)) {
        return false;
    }
    bench->distances = distances;
    bench->n_sizes++;
    snprintf(seconds, sizeof seconds, "%g", distances.difference);
    reply_say(bench->reply, TEXT_DISTANCES_DONE, seconds, NULL);
    reply_show(bench->reply, VIEW_OF_DISTANCES);
    return true;
}

bool workbench_do_count(Workbench *bench, const Command *command, Error *err) {
    SizePlan plan;
    if (!size_plan_read(&plan, bench->playground.opened, command->rest, err) ||
        (!plan.is_said && !measure_here(&plan, err))) {
        return false;
    }
    bench->size = plan;
    bench->n_sizes++;
    char number[TEXT_GROUPED_BYTES];
    reply_say(bench->reply, TEXT_SIZE_DONE, plan.name,
              text_grouped(plan.size.n_parameters, number));
    reply_show(bench->reply, VIEW_OF_SIZE);
    return true;
}
