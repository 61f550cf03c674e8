# core/oracle/oracle.c  the noise has the sampling's seed
s/sp_stream_open(options->noise)/sp_stream_open(options->sampling)/
