// SPDX-License-Identifier: Apache-2.0
/** What the machine and the hosts do while a job runs, sampled on one clock. */
package io.spillway.lab.profile;
