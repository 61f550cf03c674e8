/* labels.c -- counts rows per label (labels.h). */
#include "core/stats/labels.h"

#include "core/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_it(const sp_label *l, const char *sweep, const char *label)
{
    return strcmp(l->label, label) == 0 && strcmp(l->sweep, sweep) == 0;
}

const sp_label *sp_labels_find(const sp_labels *labels, const char *sweep, const char *label)
{
    if (labels->count > 0 && is_it(&labels->list[labels->last], sweep, label)) /* most rows follow one of their own */
        return &labels->list[labels->last];
    for (size_t i = 0; i < labels->count; i++)
        if (is_it(&labels->list[i], sweep, label))
            return &labels->list[i];
    return NULL;
}

sp_label *sp_labels_at(sp_labels *labels, const char *sweep, const char *label)
{
    const sp_label *found = sp_labels_find(labels, sweep, label);
    labels->last = found ? (size_t)(found - labels->list) : labels->count;
    if (found)
        return &labels->list[labels->last];
    labels->list = sp_need(realloc(labels->list, (labels->count + 1) * sizeof *labels->list));
    sp_label *new = &labels->list[labels->count++];
    *new = (sp_label){ .sweep = sp_need(sp_copy_text(sweep)), .label = sp_need(sp_copy_text(label)) };
    return new;
}

void sp_labels_free(sp_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->list[i].sweep);
        free(labels->list[i].label);
        free(labels->list[i].first);
    }
    free(labels->list);
    *labels = (sp_labels){ 0 };
}
