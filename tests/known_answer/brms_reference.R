# Posterior references: brms with the default priors of the package on the same counts.
#
#   Rscript brms_reference.R [TABLE ...]     (run in this folder; one core; some minutes in all)
#
# Model: successes | trials ~ 0 + Intercept + block + (1 | group), binomial-logit, block coded -1/2, +1/2. Written with
# `0 + Intercept` so that the intercept prior is on the uncentred coding. Priors: intercept N(0, 1.5), block N(0, 1.5),
# sd half-normal(1). Reads counts/*.items.csv, writes brms_reference.csv (one row a table and quantity) and
# brms_reference.json. The one crossed model (item and template intercepts) reads counts/race_bertrand_validity.trials.csv.
#
# P and Delta P are marginal: per draw, the intercepts are integrated out by Gauss-Hermite with 61 nodes (Golub-Welsch).
# The standard library of Debian keeps Boost in /usr/include and has no BH headers of its own, hence boost_lib.

suppressMessages({
  library(brms)
  library(posterior)
  library(jsonlite)
})
rstan::rstan_options(boost_lib = "/usr/include", eigen_lib = system.file("include", package = "RcppEigen"))

settings <- list(chains = 4L, iter = 8000L, warmup = 2000L, seed = 20261130L, adapt_delta = 0.99)
priors <- c(prior(normal(0, 1.5), class = "b"), prior(normal(0, 1), class = "sd"))
probabilities <- c(q025 = 0.025, q50 = 0.5, q975 = 0.975)

gauss_hermite <- function(n) {
  k <- seq_len(n - 1)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(k, k + 1)] <- sqrt(k)
  jacobi[cbind(k + 1, k)] <- sqrt(k)
  eig <- eigen(jacobi, symmetric = TRUE)
  list(x = eig$values, w = eig$vectors[1, ]^2)
}
rule <- gauss_hermite(61)

marginal_probability <- function(eta, sd) {
  total <- 0
  for (k in seq_along(rule$x)) total <- total + rule$w[k] * plogis(eta + sd * rule$x[k])
  total
}

summarise_fit <- function(name, fit) {
  draws <- as_draws_array(fit)
  alpha <- extract_variable_matrix(draws, "b_Intercept")
  beta <- extract_variable_matrix(draws, "b_block")
  sds <- grep("^sd_", variables(draws), value = TRUE)
  parts <- lapply(sds, function(v) extract_variable_matrix(draws, v))
  names(parts) <- paste0("sd_", sub("^sd_(.*)__Intercept$", "\\1", sds))
  spread <- sqrt(Reduce(`+`, lapply(parts, function(m) m^2)))
  top <- marginal_probability(alpha + beta / 2, spread)
  low <- marginal_probability(alpha - beta / 2, spread)
  quantities <- c(list(alpha = alpha, beta = beta), parts,
                  list(p_congruent = top, p_incongruent = low, delta_p = top - low))
  sampler <- nuts_params(fit)
  divergent <- sum(sampler$Value[sampler$Parameter == "divergent__"])
  do.call(rbind, lapply(names(quantities), function(q) {
    x <- quantities[[q]]
    ends <- vapply(probabilities, function(p) quantile(x, p, names = FALSE), 0)
    errors <- vapply(probabilities, function(p) mcse_quantile(x, p, names = FALSE), 0)
    data.frame(table = name, quantity = q, mean = mean(x), sd = sd(x), t(ends), mcse_mean = mcse_mean(x),
               mcse_sd = mcse_sd(x), t(setNames(errors, paste0("mcse_", names(errors)))), rhat = rhat(x),
               ess_bulk = ess_bulk(x), ess_tail = ess_tail(x), divergent = divergent)
  }))
}

sample_model <- function(formula, data, old = NULL) {
  common <- list(chains = settings$chains, iter = settings$iter, warmup = settings$warmup, seed = settings$seed,
                 cores = 1, refresh = 0, control = list(adapt_delta = settings$adapt_delta))
  if (is.null(old)) {
    do.call(brm, c(list(formula, data = data, family = binomial(), prior = priors), common))
  } else {
    do.call(update, c(list(old, newdata = data, recompile = FALSE), common))
  }
}

wanted <- commandArgs(trailingOnly = TRUE)
tables <- sub("\\.items\\.csv$", "", basename(sort(Sys.glob("counts/*.items.csv"))))
results <- if (file.exists("brms_reference.csv")) read.csv("brms_reference.csv") else NULL
keep <- function(rows) {
  rows[vapply(rows, is.double, TRUE)] <- lapply(rows[vapply(rows, is.double, TRUE)], signif, digits = 8)
  results <<- rbind(results[!(results$table %in% rows$table), ], rows)
  results <<- results[order(results$table), ]
  write.csv(results, "brms_reference.csv", row.names = FALSE)
}

compiled <- NULL
for (name in if (length(wanted)) intersect(tables, wanted) else tables) {
  d <- read.csv(sprintf("counts/%s.items.csv", name), colClasses = c(group = "character"))
  started <- Sys.time()
  compiled <- sample_model(bf(successes | trials(trials) ~ 0 + Intercept + block + (1 | group)), d, compiled)
  keep(summarise_fit(name, compiled))
  cat(name, format(Sys.time() - started), "\n")
}

crossed <- "race_bertrand_validity.crossed"
if (!length(wanted) || crossed %in% wanted) {
  d <- read.csv("counts/race_bertrand_validity.trials.csv", colClasses = c(item = "character", cluster = "character"))
  fit <- sample_model(bf(successes | trials(trials) ~ 0 + Intercept + block + (1 | item) + (1 | cluster)), d)
  keep(summarise_fit(crossed, fit))
}

write_json(list(
  what = "posterior means, sds and quantiles with their Monte Carlo standard errors",
  formula = "successes | trials(trials) ~ 0 + Intercept + block + (1 | group)",
  crossed = "successes | trials(trials) ~ 0 + Intercept + block + (1 | item) + (1 | cluster)",
  priors = "Intercept N(0, 1.5) uncentred, block N(0, 1.5), sd half-normal(1)", origin = "computed by brms_reference.R",
  R = R.version.string, brms = as.character(packageVersion("brms")), rstan = as.character(packageVersion("rstan")),
  StanHeaders = as.character(packageVersion("StanHeaders")), posterior = as.character(packageVersion("posterior")),
  settings = settings, gauss_hermite_nodes = 61, tolerance = "3 combined Monte Carlo standard errors"
), "brms_reference.json", auto_unbox = TRUE, pretty = TRUE)
