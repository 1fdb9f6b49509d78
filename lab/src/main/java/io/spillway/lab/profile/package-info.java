// SPDX-License-Identifier: Apache-2.0
/** Samples of the machine and the hosts during a job, on one clock. */
package io.spillway.lab.profile;
