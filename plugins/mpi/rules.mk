# rules.mk - attend-mpi.so: several processes by MPI. Without Open MPI's development files it is
# left out, and the program trains in one process.
MPI_FOUND := $(shell $(PKG_CONFIG) --exists ompi-c 2>/dev/null && echo yes)
ifneq ($(MPI_FOUND),yes)
PLUGINS := $(filter-out mpi,$(PLUGINS))
PLUGIN_FILES := $(filter-out %/attend-mpi.so attend-mpi.so,$(PLUGIN_FILES))
$(dir $(PROGRAM))attend-mpi.so:
	@echo '  $@ is left out: pkg-config does not know ompi-c'
else
# Its headers are not ours to warn about: -isystem.
MPI_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags ompi-c))
MPI_LIBS := $(shell $(PKG_CONFIG) --libs ompi-c)

$(BUILD)/plugins/mpi/group.o: private CPPFLAGS += $(MPI_CFLAGS)
$(BUILD)/plugins/mpi/group.o: private CFLAGS += -fvisibility=hidden

$(dir $(PROGRAM))attend-mpi.so: $(BUILD)/plugins/mpi/group.o
	@mkdir -p $(@D)
	@echo '  link $@'
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -o $@ $^ $(MPI_LIBS)
endif

build/tidy/plugins/mpi/group.c.ok: private CPPFLAGS += $(MPI_CFLAGS)
