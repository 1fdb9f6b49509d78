/** The checks of one host: its files, its processes and its configuration of Hadoop. */
package io.spillway.cli.doctor.host;
