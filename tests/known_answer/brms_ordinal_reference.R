# Posterior references of the ordinal model: brms, cumulative logit, with the priors of two_stage_ordinal.
#
#   Rscript brms_ordinal_reference.R [TABLE ...]     (run in this folder; one core; some minutes in all)
#
# Model: P(level <= k) = expit(threshold_k - effect[variant] - u[item]), the reference variant's effect 0. Priors: effects
# N(0, 1.5), item sd half-normal(1), thresholds induced Dirichlet(1) at the anchor 0: the probabilities expit(threshold_k) -
# expit(threshold_{k-1}) of the reference variant at item effect 0 are uniform on the simplex. brms has no such prior, so
# its own threshold prior is removed and the density is added to the Stan program (`stanvar`); predictors are left
# uncentred, so that brms's thresholds are those of the reference variant. Reads scores/*.csv, scores/worlds.json; writes
# brms_ordinal_reference.csv (one row a table and quantity) and brms_ordinal_reference.json.
#
# expected[v] is the expected level (levels count from 1) of a variant with the item effects integrated out by Gauss-Hermite
# with 41 nodes (Golub-Welsch); shift[v] is its difference from the reference.

suppressMessages({
  library(brms)
  library(posterior)
  library(jsonlite)
})
rstan::rstan_options(boost_lib = "/usr/include", eigen_lib = system.file("include", package = "RcppEigen"))

settings <- list(chains = 4L, iter = 3500L, warmup = 1000L, seed = 20261201L, adapt_delta = 0.9)
probabilities <- c(q025 = 0.025, q50 = 0.5, q975 = 0.975)
worlds <- fromJSON("scores/worlds.json")
tables <- c("small", "small_unused", "prometheus")

# log density of thresholds whose level probabilities at 0 are Dirichlet(1): the constant Gamma(K) of the Dirichlet, and the
# Jacobian, which is triangular with the logistic density of each threshold on its diagonal. A uniform Dirichlet has a
# constant density, so the density of the thresholds is that of ordered standard logistic variates.
functions <- "
  real induced_uniform_dirichlet_lpdf(vector cuts) {
    int n = num_elements(cuts);
    return lgamma(n + 1.0) + logistic_lpdf(cuts | 0, 1);
  }
"
extra <- stanvar(scode = functions, block = "functions") +
  stanvar(scode = "  target += induced_uniform_dirichlet_lpdf(Intercept);", block = "model")
priors <- c(prior(normal(0, 1.5), class = "b"), prior(normal(0, 1), class = "sd"), prior("", class = "Intercept"))

gauss_hermite <- function(n) {
  k <- seq_len(n - 1)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(k, k + 1)] <- sqrt(k)
  jacobi[cbind(k + 1, k)] <- sqrt(k)
  eig <- eigen(jacobi, symmetric = TRUE)
  list(x = eig$values, w = eig$vectors[1, ]^2)
}
rule <- gauss_hermite(41)

# E[level] = 1 + sum_k P(level > k)
expected_level <- function(cuts, effect, sd) {
  total <- 1
  for (cut in cuts) for (i in seq_along(rule$x)) total <- total + rule$w[i] * plogis(effect + sd * rule$x[i] - cut)
  total
}

read_table <- function(name) {
  d <- read.csv(sprintf("scores/%s.csv", name), colClasses = c(item = "character", variant = "character"))
  d <- d[rep(seq_len(nrow(d)), d$count), ]
  d$variant <- relevel(factor(d$variant), ref = worlds$reference[[name]])
  d
}

summarise_fit <- function(name, fit, d) {
  draws <- as_draws_array(fit)
  levels <- worlds$levels[[name]]
  cuts <- lapply(seq_len(levels - 1), function(k) extract_variable_matrix(draws, sprintf("b_Intercept[%d]", k)))
  names(cuts) <- sprintf("threshold[%d]", seq_along(cuts))
  variants <- levels(d$variant)
  # brms writes a hyphen as M
  names_of <- paste0("b_variant", gsub("-", "M", variants[-1]))
  effects <- lapply(names_of, function(v) extract_variable_matrix(draws, v))
  names(effects) <- sprintf("effect[%s]", variants[-1])
  sd <- extract_variable_matrix(draws, "sd_item__Intercept")
  expected <- lapply(c(list(0), effects), function(e) expected_level(cuts, e, sd))
  names(expected) <- sprintf("expected[%s]", variants)
  shifts <- lapply(expected[-1], function(e) e - expected[[1]])
  names(shifts) <- sprintf("shift[%s]", variants[-1])
  quantities <- c(cuts, effects, list(sigma_item = sd), expected, shifts)
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

common <- list(chains = settings$chains, iter = settings$iter, warmup = settings$warmup, seed = settings$seed, cores = 1,
               refresh = 0, control = list(adapt_delta = settings$adapt_delta))
formula_of <- function(thresholds) {
  bf(as.formula(sprintf("level | thres(%d) ~ variant + (1 | item)", thresholds)), center = FALSE)
}
fit <- NULL
wanted <- commandArgs(trailingOnly = TRUE)
results <- if (length(wanted) && file.exists("brms_ordinal_reference.csv")) read.csv("brms_ordinal_reference.csv") else NULL
for (name in if (length(wanted)) intersect(tables, wanted) else tables) {
  d <- read_table(name)
  formula <- formula_of(worlds$levels[[name]] - 1L)
  started <- Sys.time()
  fit <- if (is.null(fit)) {
    cat(make_stancode(formula, data = d, family = cumulative("logit"), prior = priors, stanvars = extra))
    do.call(brm, c(list(formula, data = d, family = cumulative("logit"), prior = priors, stanvars = extra), common))
  } else {
    do.call(update, c(list(fit, formula. = formula, newdata = d, recompile = FALSE), common))
  }
  # An unused level keeps its place only where brms was given the codes as they are.
  stopifnot(all(standata(fit)$Y == d$level), standata(fit)$nthres == worlds$levels[[name]] - 1L)
  rows <- summarise_fit(name, fit, d)
  rows[vapply(rows, is.double, TRUE)] <- lapply(rows[vapply(rows, is.double, TRUE)], signif, digits = 8)
  results <- rbind(results[!(results$table %in% name), ], rows)
  results <- results[order(match(results$table, tables)), ]
  write.csv(results, "brms_ordinal_reference.csv", row.names = FALSE)
  cat(name, format(Sys.time() - started), "\n")
}

write_json(list(
  what = "posterior means, sds and quantiles with their Monte Carlo standard errors",
  formula = "level | thres(levels - 1) ~ variant + (1 | item), uncentred, cumulative(logit)",
  priors = "thresholds induced Dirichlet(1) at 0 (through stanvar), effects N(0, 1.5), item sd half-normal(1)",
  origin = "computed by brms_ordinal_reference.R",
  R = R.version.string, brms = as.character(packageVersion("brms")), rstan = as.character(packageVersion("rstan")),
  StanHeaders = as.character(packageVersion("StanHeaders")), posterior = as.character(packageVersion("posterior")),
  settings = settings, gauss_hermite_nodes = 41, tolerance = "3 combined Monte Carlo standard errors"
), "brms_ordinal_reference.json", auto_unbox = TRUE, pretty = TRUE)
